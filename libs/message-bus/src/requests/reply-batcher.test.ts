import { expect, test, vi } from 'vitest';
import type { NatsConnection } from '../connection/connection.ts';
import { decodeLargeReply } from '../wire/large-reply.ts';
import type { BusReply } from '../wire/message.ts';
import { decodeReplyFrame } from '../wire/reply-frame.ts';
import { ReplyParts } from '../wire/reply-parts.ts';
import { ReplyBatcher } from './reply-batcher.ts';

/** A connection whose server takes what it was sent when it is told to. */
function slowServer() {
  const sent: string[] = [];
  const flushes: (() => void)[] = [];
  const parts = new Map<string, ReplyParts>();
  const connection = {
    info: { max_payload: 1024 * 1024 },
    publish(subject: string, frame: string | Uint8Array) {
      const known = parts.get(subject) ?? new ReplyParts();
      parts.set(subject, known);
      const large = typeof frame === 'string' ? undefined : decodeLargeReply(frame);
      if (large) sent.push(subject);
      if (typeof frame === 'string') decodeReplyFrame(frame, () => sent.push(subject), known);
    },
    flush: () => new Promise<void>((resolve) => flushes.push(resolve)),
  } as unknown as NatsConnection;
  const takeAll = async () => {
    for (const take of flushes.splice(0)) take();
    await turn();
  };
  return { connection, sent, takeAll };
}
const turn = () => new Promise((resolve) => setTimeout(resolve, 1));
const huge: BusReply = { kind: 'ok', body: `"${'x'.repeat(2_000_000)}"` };

test('of an account huge replies leave one by one, and others wait for none of them', async () => {
  const { connection, sent, takeAll } = slowServer();
  const replies = new ReplyBatcher(connection, (error) => expect.unreachable(String(error)));
  for (let id = 1; id <= 3; id += 1) replies.add('greedy', id, huge, 1);
  replies.add('other', 1, huge, 2);
  replies.add('small', 1, { kind: 'ok', body: '{}' }, 1);
  await turn();
  expect(sent.toSorted()).toEqual(['greedy', 'other', 'small']);
  await takeAll();
  expect(sent.filter((to) => to === 'greedy')).toHaveLength(2);
  const all = replies.sent();
  await takeAll();
  await takeAll();
  await all;
  expect(sent.filter((to) => to === 'greedy')).toHaveLength(3);
});

test('an account that lets more than its share of them wait is told to come back', async () => {
  const { connection, takeAll } = slowServer();
  const replies = new ReplyBatcher(connection, (error) => expect.unreachable(String(error)));
  const publish = vi.spyOn(connection, 'publish');
  for (let id = 1; id <= 70; id += 1) replies.add('greedy', id, huge, 1);
  await turn();
  const refusals = publish.mock.calls.flatMap(([, frame]) => String(frame).match(/unavailable/g) ?? []);
  expect(refusals).toHaveLength(70 - 67);
  for (let sent = 0; sent < 67; sent += 1) await takeAll();
  await replies.sent();
});

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
  replies.add('client', 1, { kind: 'ok', body: 'x'.repeat(2 ** 29 - 24) }, 1);
  await published.promise;
  expect(sent).toEqual([
    ['client', { kind: 'rejected', rejection: { code: 'internal', details: { reason: 'reply_too_large' } } }],
  ]);
  expect(errors).toHaveLength(1);
});
