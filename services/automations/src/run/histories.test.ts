import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { events, type RunEvent } from '@parley/contracts';
import { describe, expect, test } from 'vitest';
import { run } from './fold-run.ts';
import type { RunState } from './run.ts';

/** Streams as a release wrote them, with the state they came to. */
interface History {
  readonly events: readonly RunEvent[];
  readonly state: object;
  readonly phase: string;
}

const folder = new URL('../../golden/runs/', import.meta.url);
const files = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .sort();
const read = (file: string): string => readFileSync(new URL(file, folder), 'utf8');

/** A state as these files have it. */
const asWritten = (state: RunState): object | null =>
  state && {
    automation_id: state.automationId,
    version: state.version,
    status: state.status,
    retries: state.epoch,
    start_time: state.startedAt,
    active_ms: state.activeMs,
    paused_until: state.pause?.until ?? null,
    payloads_erased: state.isErased,
    steps: Object.fromEntries(
      [...state.steps.values()].map(({ path, status, attempt, takeover, branch, fault }) => [
        path,
        { status, attempt, takeover, branch, error: fault && `[${fault.code}] ${fault.message}` },
      ]),
    ),
  };

describe('a history that a release has written', () => {
  test.each(files)('still comes to its state: %s', (file) => {
    const history: History = JSON.parse(read(file));
    const state = history.events.reduce<RunState>(run.evolve, run.initialState);
    expect(asWritten(state)).toEqual(history.state);
    expect(state?.phase).toBe(history.phase);
  });

  test.each(files)('holds events as the contracts define them: %s', (file) => {
    const history: History = JSON.parse(read(file));
    for (const event of history.events) {
      const definition = events.find(({ type }) => type === event.type);
      const [first = definition] = definition?.earlier ?? [];
      expect(first?.data.parse(event.data)).toEqual(event.data);
    }
  });

  test("all of a run's events are in some history", () => {
    const written = new Set(
      files.flatMap((file) => (JSON.parse(read(file)) as History).events.map(({ type }) => type)),
    );
    const known = events.filter(({ category, service }) => category === 'run' && service === 'automations');
    expect([...written].sort()).toEqual(known.map(({ type }) => type).sort());
  });

  // After adding one: `sha256sum *.json > SHA256SUMS` in the folder.
  test('never changes and never goes away', () => {
    const sums = files.map((file) => `${createHash('sha256').update(read(file)).digest('hex')}  ${file}\n`);
    expect(sums.join('')).toBe(read('SHA256SUMS'));
  });
});
