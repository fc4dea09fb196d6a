import type { MessageContext } from '@parley/message-bus';
import { v7 } from 'uuid';

/** The context of what the gateway asks on its own behalf. */
export const systemContext = (timeoutMs: number): MessageContext => ({
  accountId: null,
  actor: { kind: 'system', id: 'gateway' },
  commandId: null,
  fingerprint: null,
  correlationId: v7(),
  expectedVersion: null,
  baseUrl: null,
  timeoutMs,
});
