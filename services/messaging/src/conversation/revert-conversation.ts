import { disableConversationAi, enableConversationAi } from '@parley/contracts';
import type { RevertOf } from '@parley/service-kit';

/** Puts back whether the assistant replies. The contact's name is not put back. */
export const revertConversation: RevertOf = ({ before, now }) => {
  if (typeof before.ai_enabled !== 'boolean') return 'Only the answering of the assistant can be put back.';
  const operation = before.ai_enabled ? enableConversationAi : disableConversationAi;
  return { operation, input: { uuid: now.uuid } };
};
