import { internalContext, type MessageContext } from '@parley/message-bus';
import { newId } from './new-id.ts';

/** The context of what the gateway asks on its own behalf. */
export const systemContext = (timeoutMs: number): MessageContext =>
  internalContext({
    accountId: null,
    actor: { kind: 'system', id: 'gateway' },
    correlationId: newId(),
    timeoutMs,
  });
