import type { RunEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { advance } from './advance/advance.ts';
import { compiledDefinition, type StepSpec } from './definition.fixture.ts';
import { run } from './fold-run.ts';
import { Progress } from './progress.ts';

const started = given(run, ...golden<RunEvent>('RunStarted.v1'));
if (!started) throw new Error('A start makes a run.');
const startedAt = Date.parse(started.startedAt);
const circumstances = { now: startedAt, newRef: () => 'ref', chance: () => 0 };

/** The same run, so many milliseconds after its start. */
export const later = (progress: Progress, ms: number) =>
  new Progress(progress.run, progress.memory, { ...circumstances, now: startedAt + ms });

/** A run that nothing has been done for yet. */
export const justStarted = () => new Progress(started, { trigger: null, outputs: new Map() }, circumstances);

export const definitionOf = (...steps: readonly StepSpec[]) =>
  compiledDefinition(12, { version: 3, steps }, async () => ({ ok: true, output: {} }));

/** A run that has begun with its first step. */
export function begun(...steps: readonly StepSpec[]) {
  const definition = definitionOf(...steps);
  const progress = justStarted();
  return { progress, definition, work: advance(progress, definition) };
}

/** A run whose first step is an action that is being carried out. */
export function working(step: Partial<Extract<StepSpec, { kind: 'action' }>> = {}) {
  const { progress, definition, work } = begun({ kind: 'action', id: 'a', effect: 'keyed', ...step });
  if (!work) throw new Error('There is work.');
  return { progress, definition, ...work };
}

/** Somebody else's trouble, which may pass. */
export const busy = {
  ok: false,
  code: 'BUSY',
  class: 'wiring_error',
  message: '',
  transient: true,
  definite: true,
} as const;
