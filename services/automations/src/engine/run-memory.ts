import { LRUCache } from 'lru-cache';
import type { JsonValue } from '../json.ts';
import type { PayloadOwner, PayloadStore } from '../payloads/payload-store.ts';
import type { NewPayload, RunMemory } from '../run/progress.ts';
import type { PayloadRef, Run } from '../run/run.ts';
import type { LoadedRun } from './run-log.ts';

/** How much text of payloads is kept in memory, in characters. */
const maxCharacters = 32 * 1024 * 1024;

/** Reads and keeps the payloads of runs, and remembers their texts, because the next step needs most of them again. */
export class RunMemories {
  readonly #payloads: PayloadStore;
  readonly #texts = new LRUCache<string, string>({
    maxSize: maxCharacters,
    sizeCalculation: ({ length }) => length,
  });

  constructor(payloads: PayloadStore) {
    this.#payloads = payloads;
  }

  /** Payloads of the trigger and of the steps that have succeeded; undefined when they were erased. */
  async of({ run, accountId }: LoadedRun): Promise<RunMemory | undefined> {
    const steps = [...run.steps.values()].flatMap(({ id, status, output }) =>
      status === 'SUCCEEDED' && output ? [{ id, output }] : [],
    );
    const owner = { accountId, runId: run.runId };
    const [trigger, ...outputs] = await this.#read(owner, [
      run.trigger.payload,
      ...steps.map(({ output }) => output),
    ]);
    if (trigger === undefined || outputs.includes(undefined)) return undefined;
    return {
      trigger: parse(trigger),
      outputs: new Map(steps.map(({ id }, index) => [id, parse(outputs[index] ?? 'null')])),
    };
  }

  /** The input of the current step; undefined when there is none, or it was erased. */
  async inputOf({ run, accountId }: LoadedRun): Promise<JsonValue | undefined> {
    const input = currentInput(run);
    if (!input) return undefined;
    const [text] = await this.#read({ accountId, runId: run.runId }, [input]);
    return text === undefined ? undefined : parse(text);
  }

  /** The inputs of all its steps by path, without those that were erased. */
  async inputsOf({ run, accountId }: LoadedRun): Promise<ReadonlyMap<string, JsonValue>> {
    const steps = [...run.steps.values()].flatMap(({ path, input }) => (input ? [{ path, input }] : []));
    const texts = await this.#read(
      { accountId, runId: run.runId },
      steps.map(({ input }) => input),
    );
    return new Map(
      steps.flatMap(({ path }, index) => {
        const text = texts[index];
        return text === undefined ? [] : [[path, parse(text)] as const];
      }),
    );
  }

  /** Stores payloads, which has to precede the append of the events that name them. */
  async keep({ run: { runId }, accountId }: LoadedRun, payloads: readonly NewPayload[]): Promise<void> {
    await this.#payloads.keep({ accountId, runId }, payloads);
    for (const { ref, text } of payloads) this.#texts.set(ref, text);
  }

  /** Deletes payloads that were kept for an append that was refused: the run may have been erased meanwhile. */
  async discard(payloads: readonly NewPayload[]): Promise<void> {
    await this.#payloads.discard(payloads.map(({ ref }) => ref));
    for (const { ref } of payloads) this.#texts.delete(ref);
  }

  async #read(owner: PayloadOwner, refs: readonly PayloadRef[]): Promise<readonly (string | undefined)[]> {
    // Copied first: the cache may drop these texts while the others are read.
    const texts = new Map(refs.map(({ ref }) => [ref, this.#texts.get(ref)]));
    const unknown = [...texts].flatMap(([ref, text]) => (text === undefined ? [ref] : []));
    const read = unknown.length > 0 ? await this.#payloads.read(owner, unknown) : [];
    for (const [index, ref] of unknown.entries()) {
      const text = read[index];
      texts.set(ref, text);
      if (text !== undefined) this.#texts.set(ref, text);
    }
    return refs.map(({ ref }) => texts.get(ref));
  }
}

const currentInput = ({ current, steps }: Run): PayloadRef | null =>
  current === null ? null : (steps.get(current)?.input ?? null);

/** The texts were written by JSON.stringify. */
const parse = (text: string): JsonValue => JSON.parse(text);
