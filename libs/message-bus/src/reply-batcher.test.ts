import { expect, test } from 'vitest';
import type { NatsConnection } from './connection.ts';
import type { BusReply } from './message.ts';
import { ReplyBatcher } from './reply-batcher.ts';
import { decodeReplyFrame } from './reply-frame.ts';

test('a reply as long as a string can be is refused, and nothing breaks on the way', async () => {
  const sent: [string, BusReply][] = [];
  const published = Promise.withResolvers<void>();
  // All that an replies uses of it.
  const connection = {
    info: { max_payload: 1024 * 1024 },
    publish(subject: string, text: string) {
      decodeReplyFrame(text, (_, reply) => sent.push([subject, reply]));
      published.resolve();
    },
  } as unknown as NatsConnection;
  const errors: unknown[] = [];
  const replies = new ReplyBatcher(connection, (error) => errors.push(error));
  replies.add('client', 1, { kind: 'ok', body: 'x'.repeat(2 ** 29 - 24) });
  await published.promise;
  expect(sent).toEqual([
    ['client', { kind: 'rejected', rejection: { code: 'internal', details: { reason: 'reply_too_large' } } }],
  ]);
  expect(errors).toHaveLength(1);
});
