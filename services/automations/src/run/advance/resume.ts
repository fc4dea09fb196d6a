import type { CompiledDefinition } from '../../definition/compiled.ts';
import type { Progress } from '../progress.ts';
import { delayEnd } from './delay-time.ts';
import { findStep } from './walk.ts';

/**
 * Resumes a run whose delay number `gen` is over. Does nothing when the run is not paused, is at another delay, or when
 * this one is not over yet.
 */
export function resume(progress: Progress, gen: number): void {
  const { current, pause, steps, phase } = progress.run;
  const step = current === null ? undefined : steps.get(current);
  if (phase !== 'paused' || pause?.gen !== gen || !step) return;
  const now = Date.parse(progress.at);
  const until = Date.parse(pause.until);
  if (now < until) return;
  const { id, path } = step;
  const late_ms = Math.max(0, now - until);
  progress.add({
    type: 'RunResumed',
    data: { step: id, path, gen, reason: 'timer', late_ms, at: progress.at },
  });
  progress.succeed(step);
}

/**
 * Pauses the run again where delay number `gen` is over, but the business window is closed by now, as after an outage:
 * it waits until the window opens next. Does nothing otherwise.
 */
export function waitForWindow(
  progress: Progress,
  gen: number,
  { steps, timezone }: Pick<CompiledDefinition, 'steps' | 'timezone'>,
): void {
  const { current, pause, phase, gen: latest } = progress.run;
  const step = current === null ? undefined : findStep(steps, current);
  if (phase !== 'paused' || pause?.gen !== gen || step?.kind !== 'delay') return;
  const now = Date.parse(progress.at);
  if (now < Date.parse(pause.until)) return;
  const end = delayEnd(now, { for: 'PT0S' }, timezone, step.window);
  if (!end.ok || end.value.until <= now) return;
  const { id, path } = step;
  const until = new Date(end.value.until).toISOString();
  progress.add({ type: 'RunPaused', data: { step: id, path, until, gen: latest + 1, at: progress.at } });
}
