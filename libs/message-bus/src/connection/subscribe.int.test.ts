import { eventually } from '@parley/testing';
import { expect, inject, onTestFinished, test } from 'vitest';
import { connectToBus } from './connection.ts';
import { subscribe } from './subscribe.ts';

test('a callback that throws is reported, and the connection goes on', async () => {
  const nats = await connectToBus({ servers: inject('natsUrl'), name: 'test' });
  onTestFinished(() => nats.close());
  const errors: unknown[] = [];
  const seen: string[] = [];
  subscribe(
    nats,
    'throwing.subject',
    (message) => {
      seen.push(message.string());
      throw new Error(message.string());
    },
    (error) => errors.push(error),
  );
  nats.publish('throwing.subject', 'a');
  nats.publish('throwing.subject', 'b');
  await eventually(() => expect(seen).toEqual(['a', 'b']));
  expect(errors).toEqual([new Error('a'), new Error('b')]);
  await nats.flush();
});
