import { describe, expect, test } from 'vitest';
import { request } from './contract/requests.contract.ts';
import type { AppendRequest } from './port.ts';
import { prepareAppend } from './prepare-append.ts';

const commandId = '0190C7A0-7D2C-7A53-B2A5-6D1D6E1C0A11';
const prepare = (overrides: Partial<AppendRequest>) => prepareAppend(request(overrides));
const withData = (data: unknown) => prepare({ events: [{ type: 'T', data }] });

describe('preparing an append', () => {
  test('names its events with uuidv7s that are never the same', () => {
    const events = Array.from({ length: 1_000 }, () => ({ type: 'T', data: {} }));
    const ids = prepare({ events }).events.map(({ eventId }) => eventId);
    expect(new Set(ids).size).toBe(1_000);
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const [id = ''] = ids;
    const madeAt = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
    expect(Math.abs(Date.now() - madeAt)).toBeLessThan(60_000);
  });

  test.each([
    ['NUL', 'a\0b'],
    ['a lone high surrogate', 'a\ud83d'],
    ['a lone low surrogate', '\ude00a'],
    ['a NUL behind an escaped backslash', '\\\0'],
    ['a NUL in a key', { 'a\0': 1 }],
    ['a lone surrogate deep inside', { a: [{ b: 'x\udfff' }] }],
  ])('refuses %s in event data', (_, data) => {
    expect(() => withData({ data })).toThrow(TypeError);
  });

  test.each([
    ['text that looks like an escape', '\\u0000 \\ud800'],
    ['an escaped backslash before u0000', '\\\\u0000'],
    ['a pair of surrogates', '\ud83d\ude00'],
    ['other control characters', '\u0001\u001f\u007f'],
  ])('takes %s in event data', (_, text) => {
    expect(JSON.parse(withData({ text }).events[0]?.json ?? '')).toEqual({ text });
  });

  test.each([
    ['the stream id', { streamId: 'a\0' }],
    ['the category', { category: '\ud800' }],
    ['an event type', { events: [{ type: '\0', data: {} }] }],
    ['a reply', { command: { commandId, fingerprint: '', reply: '\ud800' } }],
    ['a fingerprint', { command: { commandId, fingerprint: '\0', reply: null } }],
    ['a claim', { claims: [{ op: 'take', scope: 's', key: '\0', owner: 'o' }] }],
    ['a claim’s owner', { claims: [{ op: 'take', scope: 's', key: 'k', owner: '\0' }] }],
    ['a timer', { timers: [{ id: 't', kind: 'k', due: { afterMs: 1 }, payload: { a: '\0' } }] }],
    ['a processor', { checkpoint: { processor: '\0', from: 0, to: 1 } }],
  ] satisfies [string, Partial<AppendRequest>][])('refuses NUL and lone surrogates in %s', (_, overrides) => {
    expect(() => prepare(overrides)).toThrow(TypeError);
  });

  test('refuses ids that are no UUIDs and events without data', () => {
    expect(() => prepare({ command: { commandId: 'x', fingerprint: '', reply: null } })).toThrow(TypeError);
    expect(() => prepare({ events: [{ type: 'T', data: {}, eventId: 'x' }] })).toThrow(TypeError);
    expect(() => withData(undefined)).toThrow(TypeError);
  });

  test('refuses to take one claim for two owners', () => {
    const take = (owner: string) => ({ op: 'take' as const, scope: 's', key: 'k', owner });
    expect(() => prepare({ claims: [take('a'), take('b')] })).toThrow(TypeError);
    expect(prepare({ claims: [take('a'), take('a')] }).claims).toHaveLength(1);
  });

  test('lists what it may not share with another append of its batch', () => {
    const { events, keys, stream } = prepare({
      streamId: 's-1',
      expectedVersion: 4,
      command: { commandId, fingerprint: '', reply: null },
      claims: [{ op: 'release', scope: 'name', key: 'x', owner: 'o' }],
      checkpoint: { processor: 'p', from: 0, to: 1 },
      timers: [{ id: 't1', kind: 'k', due: { afterMs: 1 }, payload: {} }],
      cancelTimers: ['t2'],
      firesTimer: { id: 't3', dueAt: '2026-01-01T00:00:00Z' },
    });
    expect(keys).toEqual([`c ${commandId.toLowerCase()}`, 'k name\0x', 'p p', 't t1', 't t2', 't t3']);
    expect(stream).toEqual({ id: 's-1', from: 4, to: 4 + events.length });
    expect(prepare({ expectedVersion: 'any' }).stream.from).toBeNaN();
  });
});
