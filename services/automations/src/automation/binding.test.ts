import { expect, test } from 'vitest';
import { bindingOf } from './binding.ts';

test('an automation listens to what its trigger is restricted to, and to everything of its type else', () => {
  const all = { assistant_id: null, campaign_id: null, sender_id: null };
  expect(bindingOf({ type: 'lead.created' })).toEqual({ ...all, trigger: 'lead.created' });
  expect(bindingOf({ type: 'call.completed', assistant_id: 12 })).toMatchObject({ assistant_id: 12 });
  expect(bindingOf({ type: 'call.completed', assistant_id: undefined })).toMatchObject({
    assistant_id: null,
  });
  expect(bindingOf({ type: 'lead.created', campaign_id: undefined })).toMatchObject({ campaign_id: null });
  expect(bindingOf({ type: 'conversation.message_received', sender_id: undefined })).toMatchObject(all);
  expect(bindingOf({ type: 'lead.created', campaign_id: 5 })).toMatchObject({ campaign_id: 5 });
  expect(bindingOf({ type: 'conversation.message_received', sender_id: 2 })).toMatchObject({ sender_id: 2 });
  expect(bindingOf({ type: 'run.failed' })).toEqual({ ...all, trigger: 'run.failed', automation_id: null });
  expect(bindingOf({ type: 'run.failed', automation_id: 3 })).toMatchObject({ automation_id: 3 });
});
