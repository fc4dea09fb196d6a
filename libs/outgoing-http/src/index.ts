export { charsetOf } from './charset.ts';
export { checkUrl } from './check-url.ts';
export {
  createOutgoingHttp,
  isReservedHeader,
  type OutgoingHttp,
  type OutgoingHttpOptions,
  type OutgoingResult,
} from './client.ts';
export type { FailureReason } from './failure.ts';
export { LateAgent } from './late-agent.ts';
