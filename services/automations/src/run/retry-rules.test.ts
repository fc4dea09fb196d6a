import { readdirSync, readFileSync } from 'node:fs';
import type { RunEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { describe, expect, test } from 'vitest';
import { compiledDefinition } from './definition.fixture.ts';
import { run } from './fold-run.ts';
import { renderExplanation } from './render.ts';
import { judgeRetry } from './retry.ts';
import type { RunState } from './run.ts';

const folder = new URL('../../golden/runs/', import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
const definition = compiledDefinition(7, { version: 1, steps: [] }, async () => ({ ok: true, output: {} }));
const day = 86_400_000;

function explained(
  file: string,
  facts: {
    days?: number;
    isUnderWay?: boolean;
    hasDefinition?: boolean;
    retryAfterDelay?: 'allow' | 'refuse';
  },
) {
  const { events } = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as { events: RunEvent[] };
  const folded = events.reduce<RunState>(run.evolve, run.initialState);
  if (!folded) throw new Error('A history has a beginning.');
  const { retryAfterDelay = 'allow' } = facts;
  const state = { ...folded, settings: { ...folded.settings, retryAfterDelay } };
  const recorded = events.map(
    (event, index) =>
      ({
        ...event,
        eventId: `e${index}`,
        position: index,
        recordedAt: event.data.at,
      }) as unknown as RecordedEvent,
  );
  const { days = 0, isUnderWay = false, hasDefinition = true } = facts;
  const now = Date.parse(state.at) + days * day;
  const pinned = hasDefinition ? definition : undefined;
  const judgement = judgeRetry(state, { now, pinned, newest: undefined, isUnderWay });
  return renderExplanation(state, judgement, { now, isUnderWay, hasDefinition, recorded }).retry;
}

describe('of every history, at any time', () => {
  test.each(files)('the first rule that fails is why a retry is refused: %s', (file) => {
    for (const days of [0, 29, 31, 400])
      for (const isUnderWay of [false, true])
        for (const hasDefinition of [false, true]) {
          const { rules, ...retry } = explained(file, { days, isUnderWay, hasDefinition });
          const failed = rules.find(({ verdict }) => verdict === 'failed');
          expect([retry.possible, retry.reason, retry.error]).toEqual([
            failed === undefined,
            failed?.reason ?? null,
            failed?.error ?? null,
          ]);
          if (failed) expect(retry.message).toBe(failed.explanation);
        }
  });
});

test('a rule names the event behind it, and when time alone turns it around', () => {
  const { rules, valid_until } = explained('failed-after-a-delay.json', {});
  const by = Object.fromEntries(rules.map((rule) => [rule.rule, rule]));
  expect(by.failed).toMatchObject({ verdict: 'passed', event: { type: 'RunFailed' }, flips_at: null });
  expect(by.delay).toMatchObject({ event: { type: 'RunResumed' } });
  expect(by.age).toMatchObject({ event: { type: 'RunResumed' }, flips_at: valid_until });
  expect(by.no_other_retry).toMatchObject({ verdict: 'passed', event: null });
});

test('an automation that wants no retry after a delay has none, and one before it', () => {
  const refused = (file: string) => explained(file, { retryAfterDelay: 'refuse' });
  const after = refused('failed-after-a-delay.json');
  expect(after).toMatchObject({ possible: false, reason: 'after_delay', error: 'retry_no_op' });
  expect(after.rules.find(({ rule }) => rule === 'delay')).toMatchObject({ verdict: 'failed' });
  const before = files.map(refused).filter(({ possible }) => possible);
  expect(before.length).toBeGreaterThan(0);
});
