import { expect, test } from 'vitest';
import type { JsonValue } from '../json.ts';
import { payloadBytes } from '../run/advance/limits.ts';
import { outputOf } from './http-answer.ts';

const json = { 'content-type': 'application/json' };
const read = (body: string, headers: Record<string, string> = {}, isBodyCut = false) =>
  outputOf({ kind: 'answered', status: 200, headers, body, isBodyCut, durationMs: 1 }, (text) =>
    text.replaceAll('s3cret', '***'),
  );
const bytesOf = (value: JsonValue): number => Buffer.byteLength(JSON.stringify(value));

test('an answer is its status, its headers but for cookies, and its body, JSON where it says so', () => {
  expect(read('{"a":"s3cret"}', { ...json, 'set-cookie': 'id=1', 'x-echo': 's3cret' })).toEqual({
    status: 200,
    headers: { ...json, 'x-echo': '***' },
    body: { a: '***' },
  });
  expect(read('{"a":1}')).toMatchObject({ body: '{"a":1}' });
  expect(read('{"a":', json, true)).toMatchObject({ body: '{"a":', body_cut: true });
  expect(read('', json)).toMatchObject({ body: null });
  expect(read('a\u0000b\ud800')).toMatchObject({ body: 'ab\ufffd' });
});

test('a whole number that would lose digits is the text of its digits', () => {
  expect(read('{"order":12345678901234567890,"n":1}', json)).toMatchObject({
    body: { order: '12345678901234567890', n: 1 },
  });
});

test('what no later step could take is left out of JSON that has it escaped, as where an emoji was cut in half', () => {
  expect(
    read('{"name":"Zoe \\ud83d","n\\u0000":[{"a":"\\u0000b"},1,null],"path":"C:\\\\ud83d"}', json),
  ).toMatchObject({
    body: { name: 'Zoe \ufffd', n: [{ a: 'b' }, 1, null], path: 'C:\\ud83d' },
  });
});

test('JSON that is nested too deep to go on with is kept as the text it is', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  expect(read(nested(32), json)).toMatchObject({ body: expect.any(Array) });
  for (const levels of [33, 2_500, 40_000])
    expect(read(nested(levels), json)).toMatchObject({ body: nested(levels) });
});

test('a body that takes more in JSON than as it came is cut to what a step may put out', () => {
  const numbers = `[${Array.from({ length: 20_000 }, () => '1e20').join()}]`;
  for (const [body, headers] of [
    ['\ufffd'.repeat(100_000), {}],
    ['\u0001'.repeat(100_000), {}],
    [`a${'\u{1f600}'.repeat(80_000)}`, {}],
    [numbers, json],
  ] as const) {
    const output = read(body, headers);
    expect(output).toMatchObject({ status: 200, headers, body_cut: true, body: expect.any(String) });
    const { body: kept } = output as { body: string };
    expect(body.startsWith(kept.slice(0, -1))).toBe(true);
    expect(kept.isWellFormed()).toBe(true);
    expect(bytesOf(output)).toBeLessThanOrEqual(payloadBytes);
    if (headers !== json) expect(bytesOf(output)).toBeGreaterThan(payloadBytes - 12);
  }
});
