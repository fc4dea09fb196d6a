import { expect, test } from 'vitest';
import { subscribeDurably } from './durable-subscriber.ts';

test('positions that cannot be loaded are told before anything is opened', async () => {
  const subscribing = subscribeDurably({
    // Nobody is there: a connection would be waited for.
    servers: 'nats://127.0.0.1:1',
    name: 'test',
    positions: {
      load: () => Promise.reject(new Error('not readable')),
      save: async () => undefined,
    },
    handle: async () => undefined,
  });
  await expect(subscribing).rejects.toThrow('not readable');
});
