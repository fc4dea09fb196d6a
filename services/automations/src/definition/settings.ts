import type { AutomationDefinition } from '@parley/contracts';
import { Temporal } from 'temporal-polyfill';
import type { RunSettings } from './compiled.ts';

/** The settings of runs, with defaults for what the automation leaves out. */
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
/** A hundred years: of what may be written, not everything fits into a calendar. */
const longestAgeMs = 36_525 * dayMs;

/**
 * The length of an ISO 8601 duration, in milliseconds, from a month `2026-01` on; when absent, months and years are as long
 * as from the January of a common year on. Undefined for what is no duration.
 */
export function durationMs(text: string, month = '2026-01'): number | undefined {
  try {
    return Temporal.Duration.from(text).total({
      unit: 'milliseconds',
      relativeTo: `${month}-01T00:00Z[UTC]`,
    });
  } catch {
    return undefined;
  }
}
