import type { AutomationDelayStep, AutomationStep } from '@parley/contracts';
import { isTemplate } from '../expression/template.ts';
import { wallMs } from '../run/advance/limits.ts';
import { durationMs } from './settings.ts';

/**
 * Tells of delays at which each run that comes to them fails, because it would grow older than a run may: by those that
 * are before them, on whichever path. How long one takes that is a template or has an end, each run finds out.
 */
export function checkDelays(
  steps: readonly AutomationStep[],
  onFault: (path: string, message: string) => void,
): void {
  walk(steps, 'steps', 0);

  /** How old a run is at the least that comes out of these steps; milliseconds. */
  function walk(list: readonly AutomationStep[], at: string, start: number): number {
    let age = start;
    for (const [index, step] of list.entries()) {
      const here = `${at}.${index}`;
      if (step.type === 'stop') return Number.POSITIVE_INFINITY;
      if (step.type === 'branch') {
        const before = age;
        const ends = step.branches.map(({ steps: inner }, place) =>
          walk(inner, `${here}.branches.${place}.steps`, before),
        );
        age = Math.min(...ends, walk(step.else ?? [], `${here}.else`, before));
      }
      if (step.type !== 'delay') continue;
      const isYoung = age < wallMs;
      age += leastMs(step);
      // Other steps take time as well.
      if (isYoung && age >= wallMs)
        onFault(
          `${here}.for`,
          'A run takes at most 400 days, and this delay ends later, with those before it.',
        );
    }
    return age;
  }
}

const leastMs = ({ for: length }: AutomationDelayStep): number =>
  length === undefined || isTemplate(length) ? 0 : (durationMs(length) ?? 0);
