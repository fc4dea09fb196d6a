import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maxFrameBytes, maxFrameEntries, packFrames } from './frame.ts';
import type { BusReply, MessageContext } from './message.ts';
import { decodeReplyFrame, encodeReply } from './reply-frame.ts';
import { encodeReplyParts, ReplyParts } from './reply-parts.ts';
import { decodeRequestFrame, encodeRequest, type FramedRequest } from './request-frame.ts';

/** What users may get into a text: line breaks, quotes, controls, lone surrogates, everything. */
const hostileText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '\n',
    '\r\n',
    '\u0000',
    '"',
    '\\',
    '\u2028',
    '\ud800',
    '[1,"ok"]\n{}',
    '😀',
    '\ufeff',
    '__proto__',
  ),
);
/** V8 reads an escaped key as one with a backslash that it has read before (nodejs/node#63785). */
const hostileName = hostileText.filter((text) => !text.includes('\\'));
const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });

const contexts: fc.Arbitrary<MessageContext> = fc
  .record({
    accountId: nullable(fc.nat()),
    actor: fc.record({
      kind: fc.constantFrom('api_key', 'operator', 'automation', 'provider', 'system'),
      id: hostileText,
    }),
    commandId: nullable(fc.uuid()),
    fingerprint: nullable(hostileText),
    correlationId: hostileText,
    expectedVersion: nullable(fc.nat()),
    baseUrl: nullable(hostileText),
    timeoutMs: fc.nat(),
    traceparent: fc.option(hostileText, { nil: undefined }),
    chainDepth: fc.option(fc.nat(), { nil: undefined }),
  })
  .map(({ traceparent, chainDepth, ...context }) => ({
    ...context,
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(chainDepth === undefined ? {} : { chainDepth }),
  }));

const requests = fc.record({
  id: fc.nat(),
  subject: fc.constantFrom('cmd.assistants.create-folder', 'qry.assistants.list-folders'),
  context: contexts,
  payload: fc.json({ stringUnit: 'binary' }),
});

const replies: fc.Arbitrary<BusReply> = fc.oneof(
  fc
    .record({
      body: fc.json({ stringUnit: 'binary' }),
      position: fc.option(fc.nat(), { nil: undefined }),
      version: fc.option(fc.nat(), { nil: undefined }),
      replayed: fc.constantFrom(true, undefined),
    })
    .map((reply): BusReply => JSON.parse(JSON.stringify({ kind: 'ok', ...reply }))),
  fc
    .record({
      code: hostileText,
      message: hostileText,
      fields: fc.dictionary(hostileName, fc.array(hostileText)),
    })
    .map((rejection): BusReply => JSON.parse(JSON.stringify({ kind: 'rejected', rejection }))),
);

/** A frame is UTF-8 on the wire. */
const overTheWire = (text: string) =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text));
const pack = (entries: readonly string[]) => packFrames(entries).map(({ text }) => overTheWire(text));

function decodeRequests(frames: readonly string[]): FramedRequest[] {
  const decoded: FramedRequest[] = [];
  for (const frame of frames) decodeRequestFrame(frame, (request) => decoded.push(request));
  return decoded;
}

describe('a frame', () => {
  test('gives back the requests that went into it', () => {
    fc.assert(
      fc.property(fc.array(requests, { maxLength: 20 }), (all) => {
        const entries = all.map(({ id, subject, context, payload }) =>
          encodeRequest(id, subject, context, payload),
        );
        expect(decodeRequests(pack(entries))).toEqual(all);
      }),
    );
  });

  test('gives back the replies that went into it', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), replies), { maxLength: 20 }), (all) => {
        const decoded: [number, BusReply][] = [];
        for (const frame of pack(all.map(([id, reply]) => encodeReply(id, reply))))
          decodeReplyFrame(frame, (id, reply) => decoded.push([id, reply]));
        expect(decoded).toEqual(all);
      }),
    );
  });

  test('takes JSON with line breaks and gives back JSON that says the same', () => {
    const pretty = JSON.stringify({ text: 'a\nb', list: [1, { deep: null }] }, null, 2);
    const bodies: string[] = [];
    decodeReplyFrame(encodeReply(1, { kind: 'ok', body: pretty }), (_id, reply) =>
      bodies.push(reply.kind === 'ok' ? reply.body : ''),
    );
    expect(JSON.parse(bodies[0] ?? '')).toEqual(JSON.parse(pretty));
  });

  test('holds at most 256 KiB and 256 messages; a larger message travels alone', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400_000 }), { maxLength: 40 }), (sizes) => {
        const entries = sizes.map((size) => 'ä'.repeat(Math.ceil(size / 2)));
        const frames = packFrames(entries);
        expect(frames.map(({ text }) => text).join('')).toBe(entries.join(''));
        for (const { text, bytes, entries: count } of frames) {
          expect(bytes).toBe(Buffer.byteLength(text));
          expect(count === 1 || bytes <= maxFrameBytes).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
    expect(packFrames(Array.from({ length: 600 }, () => 'x')).map(({ entries }) => entries)).toEqual([
      maxFrameEntries,
      maxFrameEntries,
      88,
    ]);
  });

  test('whatever arrives is read without an exception, and what is whole is not lost for what is not', () => {
    const good = encodeReply(1, { kind: 'ok', body: '{}' });
    fc.assert(
      fc.property(
        fc.array(
          hostileText.filter((text) => !text.includes('\n')),
          { maxLength: 5 },
        ),
        (lines) => {
          const ids: number[] = [];
          const junk = lines.map((line) => `${line}\n{}\n`).join('');
          decodeReplyFrame(junk + good, (id) => ids.push(id));
          expect(ids).toContain(1);
          expect(() => decodeRequestFrame(junk, () => undefined)).not.toThrow();
        },
      ),
    );
    expect(decodeReplyFrame('[1,"ok"', () => undefined)).toBe(1);
    expect(decodeReplyFrame('[1,"maybe"]\n{}\n{}\n{}\n', () => undefined)).toBe(2);
  });

  test('a reply in parts is put together, unless one of them is missing', () => {
    const body = JSON.stringify('a🏢ä'.repeat(100_000));
    const entries = encodeReplyParts(5, { kind: 'ok', body, position: 9, replayed: true });
    expect(entries.length).toBeGreaterThan(2);
    for (const entry of entries) expect(Buffer.byteLength(entry)).toBeLessThanOrEqual(maxFrameBytes);
    const read = (frames: readonly string[]) => {
      const [parts, seen]: [ReplyParts, unknown[]] = [new ReplyParts(), []];
      for (const frame of frames) decodeReplyFrame(frame, (id, reply) => seen.push([id, reply]), parts);
      return seen;
    };
    expect(read(entries)).toEqual([[5, { kind: 'ok', body, position: 9, replayed: true }]]);
    expect(read(entries.slice(1))).toEqual([]);
    expect(read(entries.slice(0, -1))).toEqual([]);
  });

  test('a rejection that is not one arrives as a defect', () => {
    const seen: BusReply[] = [];
    decodeReplyFrame('[1,"rejected"]\nnot json\n[2,"rejected"]\n{"codes":1}\n', (_id, reply) =>
      seen.push(reply),
    );
    expect(seen).toEqual(Array(2).fill({ kind: 'rejected', rejection: { code: 'internal' } }));
  });
});

test('a request whose head is of another shape is counted as a fault, and the others of its frame are read', () => {
  const context: MessageContext = {
    accountId: 3,
    actor: { kind: 'api_key', id: '1' },
    commandId: null,
    fingerprint: null,
    correlationId: 'c',
    expectedVersion: null,
    baseUrl: null,
    timeoutMs: 100,
  };
  const good = encodeRequest(1, 'qry.assistants.list-folders', context, '{}');
  const head: unknown[] = JSON.parse(good.split('\n')[0] ?? '');
  const wrongAt = (index: number, value: unknown) => `${JSON.stringify(head.with(index, value))}\n{}\n`;
  const wrong = [
    wrongAt(0, '1'),
    wrongAt(1, 1),
    wrongAt(2, null),
    wrongAt(3, '3'),
    wrongAt(4, 'nobody'),
    wrongAt(5, 1),
    wrongAt(6, null),
    wrongAt(7, 7),
    wrongAt(8, 7),
    wrongAt(9, '1'),
    wrongAt(10, 7),
  ];
  const read: number[] = [];
  expect(decodeRequestFrame(`${wrong.join('')}${good}`, ({ id }) => read.push(id))).toBe(wrong.length);
  expect(read).toEqual([1]);
});

test('a reply of no parts at all is whole, and one whose parts were lost is not', () => {
  const [whole = ''] = encodeReplyParts(1, { kind: 'ok', body: '' });
  expect(JSON.parse(whole.split('\n')[0] ?? '')).toEqual([1, 'end', null, null, false, 0]);
  const parts = new ReplyParts();
  expect(parts.end(1, 'rest', 0)).toBe('rest');
  expect(parts.end(1, 'rest', 1)).toBeUndefined();
  parts.add(1, 'first ');
  expect(parts.end(1, 'rest', 1)).toBe('first rest');
});

test('of a reply that nobody waits for, or no longer, no parts are kept', () => {
  const parts = new ReplyParts((id) => id === 1);
  parts.add(2, 'first ');
  expect(parts.end(2, 'rest', 1)).toBeUndefined();
  parts.add(1, 'first ');
  parts.forget(1);
  expect(parts.end(1, 'rest', 1)).toBeUndefined();
});
