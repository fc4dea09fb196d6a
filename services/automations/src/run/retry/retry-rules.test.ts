import { readdirSync, readFileSync } from 'node:fs';
import type { RunEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { recorded } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { compiledDefinition } from '../definition.fixture.ts';
import { run } from '../fold-run.ts';
import { renderExplanation } from '../render/render.ts';
import type { Run, RunState } from '../run.ts';
import { judgeRetry } from './retry.ts';

const folder = new URL('../../../golden/runs/', import.meta.url);
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
    maxAgeDays?: number;
    /** Instead of the history's own events. */
    history?: readonly RecordedEvent[];
    /** What the run has come to, beyond its history. */
    reached?: Partial<Run>;
  },
) {
  const { events } = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as { events: RunEvent[] };
  const folded = events.reduce<RunState>(run.evolve, run.initialState);
  if (!folded) throw new Error('A history has a beginning.');
  const { retryAfterDelay = 'allow', maxAgeDays, reached } = facts;
  const retryMaxAgeMs = maxAgeDays === undefined ? folded.settings.retryMaxAgeMs : maxAgeDays * day;
  const state = { ...folded, ...reached, settings: { ...folded.settings, retryAfterDelay, retryMaxAgeMs } };
  const {
    history = events.map((event, index) => recorded(event, { position: index, recordedAt: event.data.at })),
  } = facts;
  const { days = 0, isUnderWay = false, hasDefinition = true } = facts;
  const now = Date.parse(state.at) + days * day;
  const pinned = hasDefinition ? definition : undefined;
  const judgement = judgeRetry(state, { now, pinned, newest: undefined, isUnderWay });
  return renderExplanation(state, judgement, { now, isUnderWay, hasDefinition, recorded: history }).retry;
}

describe('of every history, at any time', () => {
  test.each(files)('the first rule that fails is why a retry is refused: %s', (file) => {
    for (const days of [0, 29, 31, 400])
      for (const isUnderWay of [false, true])
        for (const hasDefinition of [false, true])
          for (const reached of [{}, { events: 998 }]) {
            const { rules, ...retry } = explained(file, { days, isUnderWay, hasDefinition, reached });
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

test('a retry is possible no longer than what the run worked on is kept', () => {
  const { rules, valid_until } = explained('failed-after-a-delay.json', { maxAgeDays: 365 });
  expect(rules.find(({ rule }) => rule === 'payloads_kept')?.flips_at).toBe(valid_until);
});

test.each([
  ['RetryRequested', ['no_other_retry']],
  ['RunStarted', ['failed', 'version_kept', 'age']],
  ['RunPaused', ['failed']],
  ['RunResumed', ['failed', 'delay', 'age']],
  ['RunFailed', ['failed']],
  ['RunSucceeded', ['failed']],
  ['RunRetried', ['failed', 'version_kept']],
  ['RunPayloadsErased', ['payloads_kept']],
  ['StepFailed', []],
])('%s is what is behind %j', (type, rules) => {
  const { rules: shown } = explained('failed-after-a-delay.json', {
    history: [recorded({ type, data: {} })],
  });
  expect(shown.filter(({ event }) => event !== null).map(({ rule }) => rule)).toEqual(rules);
});

test('a rule that passed says why it did', () => {
  const { rules } = explained('failed-after-a-delay.json', {});
  expect(Object.fromEntries(rules.map(({ rule, explanation }) => [rule, explanation]))).toEqual({
    no_other_retry: 'No other retry of the run is under way.',
    failed: 'The run has failed.',
    payloads_kept: 'What the run worked on is kept.',
    version_kept: 'The version of the automation that the run follows is kept.',
    delay: 'The run has passed no delay, or its automation allows retries after one.',
    age: 'The run is young enough.',
    limits: 'The run has room for more events, payloads and work.',
  });
});

test('what a run worked on is kept for thirty days after its end', () => {
  const { rules } = explained('failed-after-a-delay.json', {});
  const { flips_at } = rules.find(({ rule }) => rule === 'payloads_kept') ?? {};
  const ended = rules.find(({ rule }) => rule === 'failed')?.event?.occurred_at;
  expect(Date.parse(flips_at ?? '') - Date.parse(ended ?? '')).toBe(30 * day);
});

test('an automation that wants no retry after a delay has none, and one before it', () => {
  const refused = (file: string) => explained(file, { retryAfterDelay: 'refuse' });
  const after = refused('failed-after-a-delay.json');
  expect(after).toMatchObject({ possible: false, reason: 'after_delay', error: 'retry_no_op' });
  expect(after.rules.find(({ rule }) => rule === 'delay')).toMatchObject({ verdict: 'failed' });
  const before = files.map(refused).filter(({ possible }) => possible);
  expect(before.length).toBeGreaterThan(0);
});

test('a run that has reached a limit has no retry, and is told so', () => {
  const retry = explained('failed-after-a-delay.json', { reached: { workMs: 15 * 60_000 } });
  expect(retry).toMatchObject({ possible: false, reason: 'limit_reached', error: 'retry_no_op' });
  expect(retry.message).toMatch(/^The run has reached a limit/);
});
