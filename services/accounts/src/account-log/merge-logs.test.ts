import type { RecordedEventMessage } from '@parley/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeLogs, type ServicePage } from './merge-logs.ts';

const event = (position: number, millisecond: number): RecordedEventMessage => ({
  position,
  stream_id: 'folder-1',
  stream_version: position,
  category: 'folder',
  account_id: 1,
  type: 'FolderRenamed',
  schema_version: 1,
  event_id: String(position),
  data: {},
  metadata: { correlation_id: 'r', causation_id: 'r', command_id: null, actor: { kind: 'system', id: '' } },
  recorded_at: new Date(millisecond).toISOString(),
});

/** What a service would answer, asked for `limit` events behind `after`. */
function pageOf(
  service: string,
  log: readonly RecordedEventMessage[],
  after: number,
  limit: number,
): ServicePage {
  const events = log.filter(({ position }) => position > after).slice(0, limit);
  const head = log.length;
  return {
    service,
    events,
    head,
    reached: events.length < limit ? head : (events.at(-1)?.position ?? after),
  };
}

const logs = fc.array(
  fc
    .array(fc.nat(20), { maxLength: 30 })
    .map((times) => times.sort((a, b) => a - b).map((at, i) => event(i + 1, at))),
  { minLength: 1, maxLength: 4 },
);

test('whatever the pages, every event comes once, in time order, each log in its own order', () => {
  fc.assert(
    fc.property(logs, fc.integer({ min: 1, max: 7 }), (all, limit) => {
      const seen: string[] = [];
      const times: string[] = [];
      let reached: Readonly<Record<string, number>> = {};
      for (let isComplete = false; !isComplete; ) {
        const pages = all.map((log, i) => pageOf(`s${i}`, log, reached[`s${i}`] ?? 0, limit));
        const merged = mergeLogs(pages, reached);
        expect(merged.events.length > 0 || merged.isComplete).toBe(true);
        for (const one of merged.events) {
          seen.push(`${one.service}:${one.event.position}`);
          times.push(one.event.recorded_at);
        }
        ({ reached, isComplete } = merged);
      }
      expect(times).toEqual([...times].sort());
      expect(new Set(seen).size).toBe(seen.length);
      for (const [i, log] of all.entries())
        expect(seen.filter((name) => name.startsWith(`s${i}:`))).toEqual(
          log.map(({ position }) => `s${i}:${position}`),
        );
    }),
  );
});
