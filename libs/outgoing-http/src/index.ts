export { charsetOf } from './charset.ts';
export { type CheckedUrl, checkUrl, type UrlFault } from './check-url.ts';
export {
  createOutgoingHttp,
  isReservedHeader,
  type OutgoingHttp,
  type OutgoingHttpOptions,
  type OutgoingRequest,
  type OutgoingResult,
} from './client.ts';
export type { FailureReason } from './failure.ts';
export { LateAgent } from './late-agent.ts';
export type { ResolveHost } from './resolve-host.ts';
