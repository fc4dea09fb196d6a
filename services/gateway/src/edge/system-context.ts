import type { MessageContext } from '@parley/message-bus';
import { newId } from './new-id.ts';

/** The context of what the gateway asks on its own behalf. */
export const systemContext = (timeoutMs: number): MessageContext => ({
  accountId: null,
  actor: { kind: 'system', id: 'gateway' },
  commandId: null,
  fingerprint: null,
  correlationId: newId(),
  expectedVersion: null,
  baseUrl: null,
  timeoutMs,
});
