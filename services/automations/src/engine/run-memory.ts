import { LRUCache } from 'lru-cache';
import type { JsonValue } from '../json.ts';
import type { PayloadOwner, PayloadStore } from '../payloads/payload-store.ts';
import type { NewPayload, RunMemory } from '../run/progress.ts';
import type { PayloadRef, Run } from '../run/run.ts';
import type { LoadedRun } from './run-log.ts';

/** What is kept of payloads in memory at most, in characters of their texts. */
const maxCharacters = 32 * 1024 * 1024;

/** Reads what runs work with; remembers what it read or wrote, because the next step needs it again. */
export class RunMemories {
  readonly #payloads: PayloadStore;
  readonly #texts = new LRUCache<string, string>({
    maxSize: maxCharacters,
    sizeCalculation: ({ length }) => length,
  });

  constructor(payloads: PayloadStore) {
    this.#payloads = payloads;
  }

  /** Undefined when the payloads were erased. */
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

  /** The input of the step that is worked on; undefined when it was erased. */
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

  async keep({ run: { runId }, accountId }: LoadedRun, payloads: readonly NewPayload[]): Promise<void> {
    await this.#payloads.keep({ accountId, runId }, payloads);
    for (const { ref, text } of payloads) this.#texts.set(ref, text);
  }

  /** What was kept for an append that was refused: the run may have been erased meanwhile. */
  async discard(payloads: readonly NewPayload[]): Promise<void> {
    await this.#payloads.discard(payloads.map(({ ref }) => ref));
    for (const { ref } of payloads) this.#texts.delete(ref);
  }

  async #read(owner: PayloadOwner, refs: readonly PayloadRef[]): Promise<readonly (string | undefined)[]> {
    // What is known now may be forgotten for others while the rest is read.
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

/** Written by JSON.stringify. */
const parse = (text: string): JsonValue => JSON.parse(text);
