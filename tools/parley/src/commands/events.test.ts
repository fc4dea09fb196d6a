import { getState } from '@parley/contracts';
import { golden } from '@parley/testing';
import { afterEach, expect, test, vi } from 'vitest';
import type { Operator } from '../operator/operator.ts';
import { folderEvent } from '../transfer/folder-file.fixture.ts';
import { printEvents } from './events.ts';

afterEach(() => vi.restoreAllMocks());

/** Assistants have nine events. */
const operator = {
  ask: async (service: string) => ({
    kind: 'ok',
    value: {
      events: service === 'assistants' ? [1, 2, 3, 4, 5, 6, 7, 8, 9].map(folderEvent) : [],
      head: service === 'assistants' ? 9 : 0,
    },
  }),
} as unknown as Operator;

const filter = { streamId: undefined, types: [], accountId: undefined };

test.each([
  ['what there is', {}],
  ['the newest of it', { last: 9 }],
])('Ctrl-C ends at once the showing of %s, and of what comes', async (_, options) => {
  const stop = new AbortController();
  const shown = 3;
  let written = 0;
  vi.spyOn(process.stdout, 'write').mockImplementation(() => {
    written += 1;
    if (written === shown) stop.abort();
    return true;
  });
  await printEvents(operator, { filter, after: 0, follow: true, json: true, ...options }, stop.signal);
  expect(written).toBe(shown);
});

/** A log of a thousand events, each a second after the one before. */
const longLog = (asked: number[]) =>
  ({
    async ask(service: string, _: unknown, { after, limit }: { after: number; limit: number }) {
      asked.push(after);
      const head = service === 'assistants' ? 1_000 : 0;
      const count = Math.min(limit, head - after);
      const events = Array.from({ length: count }, (_, index) => ({
        ...folderEvent(after + index + 1),
        recorded_at: new Date(Date.UTC(2026, 10, 21) + (after + index + 1) * 1_000).toISOString(),
      }));
      return { kind: 'ok', value: { events, head } };
    },
  }) as unknown as Operator;

test('the events since a time are found without reading those before', async () => {
  const asked: number[] = [];
  const positions: number[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    positions.push(JSON.parse(String(line)).position);
    return true;
  });
  const options = { filter, after: 0, follow: false, json: true, since: '2026-11-21T01:16:37+01:00' };
  await printEvents(longLog(asked), options, new AbortController().signal);
  expect(positions).toEqual([997, 998, 999, 1_000]);
  expect(asked.length).toBeLessThan(20);
});

test('only what somebody did is shown, and of that the newest', async () => {
  const by = (n: number, id: string) => ({
    ...folderEvent(n),
    metadata: { ...folderEvent(n).metadata, actor: { kind: 'api_key', id } },
  });
  const log = [by(1, '1'), by(2, '3'), by(3, '3'), by(4, '1')];
  const asked = {
    ask: async (service: string) => ({
      kind: 'ok',
      value: service === 'assistants' ? { events: log, head: 4 } : { events: [], head: 0 },
    }),
  } as unknown as Operator;
  const positions: number[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    positions.push(JSON.parse(String(line)).position);
    return true;
  });
  const options = { filter: { ...filter, actor: 'api_key:3' }, after: 0, follow: false, json: true };
  const never = new AbortController().signal;
  await printEvents(asked, options, never);
  await printEvents(asked, { ...options, last: 1 }, never);
  expect(positions).toEqual([2, 3, 3]);
});

test('a reader that is slow is waited for, until Ctrl-C: a log of millions is not for this memory', async () => {
  const stop = new AbortController();
  let written = 0;
  vi.spyOn(process.stdout, 'write').mockImplementation(() => {
    written += 1;
    return false;
  });
  const printing = printEvents(operator, { filter, after: 0, follow: false, json: true }, stop.signal);
  for (const shown of [1, 2, 3]) {
    await vi.waitFor(() => expect(process.stdout.listenerCount('drain')).toBe(1));
    expect(written).toBe(shown);
    process.stdout.emit('drain');
    await Promise.resolve();
  }
  stop.abort();
  await printing;
  expect(written).toBeLessThanOrEqual(4);
  expect(process.stdout.listenerCount('drain')).toBe(0);
});

const lead = {
  ...folderEvent(1),
  ...golden<{ readonly data: object }>('LeadCreated.v1')[0],
};

test.each([
  ['an operator sees nothing whose name says it is secret', undefined, '[secret]'],
  ['a person is shown all that an account keeps of them', '+4930901820', 'open sesame'],
])('%s', async (_, subject, shown) => {
  const data = { ...lead.data, variables: { password: 'open sesame' } };
  const asked = {
    ask: async (service: string) => ({
      kind: 'ok',
      value: service === 'assistants' ? { events: [{ ...lead, data }], head: 1 } : { events: [], head: 0 },
    }),
  } as unknown as Operator;
  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  const options = { filter: { ...filter, accountId: 1, subject }, after: 0, follow: false };
  for (const json of [true, false])
    await printEvents(asked, { ...options, json }, new AbortController().signal);
  for (const line of lines) expect(line).toContain(`"password":"${shown}"`);
  expect(lines).toHaveLength(2);
});

test('that nothing is on record of a person is said of all there is, and of an account that there is', async () => {
  const nothing = (isThere: boolean) =>
    ({
      async ask(_: string, { name }: { name: string }) {
        if (name !== getState.name) return { kind: 'ok', value: { events: [], head: 0 } };
        return isThere ? { kind: 'ok', value: {} } : { kind: 'rejected', rejection: { code: 'not_found' } };
      },
    }) as unknown as Operator;
  let told = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    told += String(text);
    return true;
  });
  const options = { filter: { ...filter, accountId: 7, subject: '+4930901820' }, follow: false, json: false };
  const never = new AbortController().signal;
  await printEvents(nothing(true), { ...options, after: 0 }, never);
  expect(told).toMatch(/^Nothing is on record of \+4930901820: /);
  told = '';
  await printEvents(nothing(true), { ...options, after: 9 }, never);
  await printEvents(nothing(true), { ...options, after: 0, since: '2026-11-21T00:00:00Z' }, never);
  expect(told).toBe('There are no such events.\n'.repeat(2));
  await expect(printEvents(nothing(false), { ...options, after: 0 }, never)).rejects.toThrow('account 7: ');
});
