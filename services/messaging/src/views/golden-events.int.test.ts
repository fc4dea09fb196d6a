import { passedOverByViews } from '@parley/testing';
import { expect, test } from 'vitest';
import { messagingService } from '../messaging-service.ts';

test('every event that was ever written changes the rows of a view that takes it, or is named here', async () => {
  const streams = {
    conversation: 'conversation-4',
    message: 'message-31',
    sender: 'sender-12',
    template: 'template-31',
  };
  expect(
    await passedOverByViews('messaging', messagingService.projections, {
      streams,
      fields: { message_id: 31 },
    }),
  ).toEqual([]);
});
