import { hash } from 'node:crypto';
import type { RunEvent } from '@parley/contracts';
import { replaceUnstorable } from '@parley/event-store';
import { Effort } from '../expression/effort.ts';
import type { JsonValue } from '../json.ts';
import { run } from './fold-run.ts';
import { effectKeyOf, later, type PayloadRef, type Run } from './run.ts';
import type { StepFault } from './step-class.ts';

/** A payload that is to be stored before the event that names it is appended. */
export interface NewPayload {
  readonly ref: string;
  readonly text: string;
}

/** The payloads that a run works with; `outputs` are by step id. */
export interface RunMemory {
  readonly trigger: JsonValue;
  readonly outputs: ReadonlyMap<string, JsonValue>;
}

/** What decisions need beside the run, so that deciding looks nothing up. */
export interface Circumstances {
  /** The platform clock, in milliseconds. */
  readonly now: number;
  /** A new id for a payload. */
  readonly newRef: () => string;
  /** Random, in [0, 1). */
  readonly chance: () => number;
}

interface Step {
  readonly id: string;
  readonly path: string;
  readonly type: string;
}

/**
 * Collects the events and payloads of one append while they are decided; `run` and `memory` are as after the events so
 * far.
 */
export class Progress {
  readonly events: RunEvent[] = [];
  readonly payloads: NewPayload[] = [];
  readonly circumstances: Circumstances;
  run: Run;
  memory: RunMemory;
  effort = new Effort();

  constructor(state: Run, memory: RunMemory, circumstances: Circumstances) {
    this.run = state;
    this.memory = memory;
    this.circumstances = circumstances;
  }

  /** Time of the next event, ISO 8601: now, but never before the run's last event, for the clock may be set back. */
  get at(): string {
    const now = new Date(this.circumstances.now).toISOString();
    return later(this.run.at, now);
  }

  add(event: RunEvent): void {
    this.events.push(event);
    const next = run.evolve(this.run, event);
    if (next) this.run = next;
  }

  /** Collects a payload, which is to be stored before the append; returns what events refer to it by. */
  keep(value: JsonValue): PayloadRef {
    const payload = newPayload(value, this.circumstances.newRef());
    this.payloads.push(payload);
    return refOf(payload);
  }

  /** The next attempt of the step begins. */
  start(
    { id: step, path, type }: Step,
    effect: 'pure' | 'local' | 'keyed' | 'unkeyed' = 'pure',
    input: PayloadRef | null = null,
  ): void {
    this.add({
      type: 'StepStarted',
      data: {
        step,
        path,
        type,
        attempt: (this.run.steps.get(path)?.attempt ?? 0) + 1,
        takeover: 0,
        effect,
        effect_key: effectKeyOf(this.run.runId, path),
        input_ref: input?.ref ?? null,
        input_hash: input?.hash ?? null,
        input_bytes: input?.bytes ?? 0,
        at: this.at,
      },
    });
  }

  /** The step succeeds; later steps see its output, if any. `ms` is how long the attempt took, in milliseconds. */
  succeed(
    { id: step, path }: Step,
    result: {
      readonly output?: JsonValue;
      readonly branch?: string | null;
      readonly providerRef?: string;
      readonly ms?: number;
    } = {},
  ): undefined {
    const output = result.output === undefined ? null : this.keep(result.output);
    if (result.output !== undefined)
      this.memory = { ...this.memory, outputs: new Map(this.memory.outputs).set(step, result.output) };
    this.add({
      type: 'StepSucceeded',
      data: {
        step,
        path,
        output_ref: output?.ref ?? null,
        output_hash: output?.hash ?? null,
        output_bytes: output?.bytes ?? 0,
        ms: Math.round(result.ms ?? 0),
        branch: result.branch ?? null,
        provider_ref: result.providerRef ?? null,
        at: this.at,
      },
    });
  }

  /** The step fails, and the run with it. `definite`: the step has certainly had no effect. */
  fail(
    { id: step, path }: Pick<Step, 'id' | 'path'>,
    { code, class: kind, message }: StepFault,
    { definite = true, ms = 0 }: { readonly definite?: boolean; readonly ms?: number } = {},
  ): undefined {
    const attempts = this.run.steps.get(path)?.attempt ?? 0;
    const what = { step, path, code, class: kind };
    const about = { message: shownMessage(message), definite, attempts, ms: Math.round(ms) };
    this.add({ type: 'StepFailed', data: { ...what, ...about, at: this.at } });
    this.add({ type: 'RunFailed', data: { ...what, at: this.at } });
  }
}

export const newPayload = (value: JsonValue, ref: string): NewPayload => ({
  ref,
  text: JSON.stringify(value),
});

/** What events refer to a payload by. */
export const refOf = ({ ref, text }: NewPayload): PayloadRef => ({
  ref,
  bytes: Buffer.byteLength(text),
  hash: hash('sha256', text),
});

const longestMessage = 2_000;

/** A message as events hold it: at most 2,000 characters, and without any that cannot be stored. */
export const shownMessage = (message: string): string => replaceUnstorable(message.slice(0, longestMessage));
