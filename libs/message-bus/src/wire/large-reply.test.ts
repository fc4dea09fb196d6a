import { describe, expect, test } from 'vitest';
import { packFrames } from './frame.ts';
import { decodeLargeReply, encodeLargeReply, largeFrom } from './large-reply.ts';
import { encodeReply } from './reply-frame.ts';

const reply = {
  kind: 'ok' as const,
  body: JSON.stringify({ text: 'a🏢ä\n\ud800'.repeat(largeFrom / 4) }),
  position: 7,
  version: 3,
  replayed: true,
};

describe('a large reply', () => {
  test('comes as the bytes that were sent, and as text for whoever reads it', () => {
    const decoded = decodeLargeReply(encodeLargeReply(12, reply));
    expect(decoded).toMatchObject({ id: 12, reply });
    const received = decoded?.reply.kind === 'ok' ? decoded.reply : undefined;
    expect(received?.bytes?.toString()).toBe(reply.body.toWellFormed());
    expect(decodeLargeReply(encodeLargeReply(1, { kind: 'ok', body: reply.body }))?.reply).toStrictEqual({
      kind: 'ok',
      body: reply.body,
      bytes: Buffer.from(reply.body),
    });
  });

  test('is the frame that a reply of any size would be', () =>
    expect(Buffer.from(encodeLargeReply(12, reply))).toEqual(
      Buffer.concat(packFrames([encodeReply(12, reply)]).map(({ text }) => Buffer.from(text))),
    ));

  test('may have been written with line breaks', () => {
    const body = JSON.stringify({ list: Array.from({ length: largeFrom }, (_, n) => n) }, null, 2);
    const decoded = decodeLargeReply(encodeLargeReply(1, { kind: 'ok', body }));
    expect(decoded?.reply.kind === 'ok' && JSON.parse(decoded.reply.body)).toEqual(JSON.parse(body));
  });

  test('is told from every other frame', () => {
    const frame = encodeReply(1, reply);
    const rejected = encodeReply(2, { kind: 'rejected', rejection: { code: reply.body } });
    for (const other of [
      encodeReply(1, { kind: 'ok', body: '{}' }),
      frame + frame,
      rejected,
      frame.slice(0, -1),
      frame.replace('"ok"', '"part"'),
      frame.replace('[', '{'),
      'x'.repeat(largeFrom),
      '\n'.repeat(largeFrom),
    ])
      expect(decodeLargeReply(Buffer.from(other))).toBeUndefined();
  });
});
