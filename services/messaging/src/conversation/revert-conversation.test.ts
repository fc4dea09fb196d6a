import { disableConversationAi, enableConversationAi } from '@parley/contracts';
import { expect, test } from 'vitest';
import { revertConversation } from './revert-conversation.ts';

const now = { uuid: '0193e2a0-0000-7000-8000-000000000004' };
const revert = (before: Parameters<typeof revertConversation>[0]['before']) =>
  revertConversation({ id: '4', before, after: {}, now });

test('the answering of the assistant goes back to what it was', () => {
  expect(revert({ ai_enabled: true })).toEqual({ operation: enableConversationAi, input: now });
  expect(revert({ ai_enabled: false })).toEqual({ operation: disableConversationAi, input: now });
});

test('what a contact is called cannot be put back', () =>
  expect(revert({ customer_name: 'Ada' })).toMatch(/^Only the answering/));
