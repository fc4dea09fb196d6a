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
  readonly #texts = new Map<string, string>();
  #characters = 0;

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
    for (const { ref, text } of payloads) this.#remember(ref, text);
  }

  /** What was kept for an append that was refused: the run may have been erased meanwhile. */
  async discard(payloads: readonly NewPayload[]): Promise<void> {
    await this.#payloads.discard(payloads.map(({ ref }) => ref));
    for (const { ref } of payloads) this.#forget(ref);
  }

  async #read(owner: PayloadOwner, refs: readonly PayloadRef[]): Promise<readonly (string | undefined)[]> {
    const unknown = refs.filter(({ ref }) => !this.#texts.has(ref));
    const read = new Map<string, string | undefined>();
    if (unknown.length > 0) {
      const texts = await this.#payloads.read(
        owner,
        unknown.map(({ ref }) => ref),
      );
      for (const [index, { ref }] of unknown.entries()) read.set(ref, texts[index]);
    }
    const result = refs.map(({ ref }) => this.#texts.get(ref) ?? read.get(ref));
    for (const [ref, text] of read) if (text !== undefined) this.#remember(ref, text);
    return result;
  }

  #remember(ref: string, text: string): void {
    // Others may have read it at the same time: it counts once.
    this.#forget(ref);
    this.#texts.set(ref, text);
    this.#characters += text.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#characters <= maxCharacters) break;
      this.#forget(oldest);
    }
  }

  #forget(ref: string): void {
    this.#characters -= this.#texts.get(ref)?.length ?? 0;
    this.#texts.delete(ref);
  }
}

const currentInput = ({ current, steps }: Run): PayloadRef | null =>
  current === null ? null : (steps.get(current)?.input ?? null);

/** Written by JSON.stringify. */
const parse = (text: string): JsonValue => JSON.parse(text);
