import type { AutomationDefinition } from '@parley/contracts';
import { Temporal } from 'temporal-polyfill';
import type { RunSettings } from './compiled.ts';

/** What an automation that says nothing gets. */
export function runSettings({ settings = {} }: Pick<AutomationDefinition, 'settings'>): RunSettings {
  const { max_concurrent_runs = 50, retry = {}, on_deactivate = 'finish' } = settings;
  const { max_age = 'P30D', after_delay = 'allow', use_repaired_version = true } = retry;
  return {
    maxConcurrentRuns: max_concurrent_runs,
    retry: {
      maxAgeMs: Math.min(longestAgeMs, Math.ceil(durationMs(max_age) ?? longestAgeMs)),
      afterDelay: after_delay,
      useRepairedVersion: use_repaired_version,
    },
    onDeactivate: on_deactivate,
  };
}

export const dayMs = 24 * 60 * 60 * 1000;
/** A hundred years; no calendar has room for what may be written. */
const longestAgeMs = 36_525 * dayMs;

/** Months and years as they are from the first of January of a common year on; undefined for what is no duration. */
export function durationMs(text: string): number | undefined {
  try {
    return Temporal.Duration.from(text).total({ unit: 'milliseconds', relativeTo: '2026-01-01T00:00Z[UTC]' });
  } catch {
    return undefined;
  }
}
