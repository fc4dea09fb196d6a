import { disableConversationAi, enableConversationAi } from '@parley/contracts';
import type { RevertOf } from '@parley/service-kit';

/** The assistant's answering goes back to what it was; what a contact is called, the contact decides. */
export const revertConversation: RevertOf = ({ before, now }) => {
  if (typeof before.ai_enabled !== 'boolean') return 'Only the answering of the assistant can be put back.';
  const operation = before.ai_enabled ? enableConversationAi : disableConversationAi;
  return { operation, input: { uuid: now.uuid } };
};
