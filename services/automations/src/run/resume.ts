import type { Progress } from './progress.ts';

/** The delay `gen` is over: the run is ready for what comes after it. Nothing, when it waits at none, at another one, or still. */
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
