import type { AppendRequest, EventStore, NewEvent } from '../port.ts';
import type { Decision, Rejected } from './decider.ts';
import { bodyOf, type ExecuteOptions, toAppend } from './execute-options.ts';
import { type ExecuteResult, executed } from './execute-result.ts';
import type { FoldCache } from './fold-cache.ts';
import { afterAppend, type Loaded } from './folding.ts';
import type { KeyedLanes } from './keyed-lanes.ts';
import { answerRepeated } from './repeated-command.ts';
import type { Snapshots } from './snapshots.ts';

/** So many are decided at once, for nothing else happens in the process meanwhile; a batch holds as many. */
const longestRun = 256;

/** Of whatever types: only those with the same fold are decided together. */
export type AnyCommand = ExecuteOptions<unknown, NewEvent, unknown>;

interface Waiting {
  readonly options: AnyCommand;
  readonly resolve: (result: ExecuteResult) => void;
  readonly reject: (error: unknown) => void;
}

interface Decided extends Waiting {
  readonly decision: Decision;
  readonly request: AppendRequest;
}

/** What was decided on what others leave behind, if they are all written. */
interface DecidedRun {
  readonly run: Decided[];
  /** A "no" is only as good as the state it is based on, and no append checks it. */
  readonly refused: Waiting[];
  /** Cannot be said from the state alone, or does more than append events. */
  readonly alone: Waiting[];
}

interface LeftOver {
  readonly alone: readonly Waiting[];
  /** Decided on a state that the stream does not have. */
  readonly again: readonly Waiting[];
}

interface CommandRunsParts {
  readonly store: EventStore;
  readonly cache: FoldCache;
  readonly lanes: KeyedLanes;
  readonly snapshots: Snapshots;
  /** Carries one out by itself, however many races that takes. */
  readonly execute: (options: AnyCommand) => Promise<ExecuteResult>;
  /** The stream folded as it is now. */
  readonly load: (streamId: string, fold: AnyCommand['fold']) => Promise<Loaded<unknown>>;
}

/** Commands that wait for their turn on one stream, decided and appended together. */
export class CommandRuns {
  readonly #parts: CommandRunsParts;
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(parts: CommandRunsParts) {
    this.#parts = parts;
  }

  execute(options: AnyCommand): Promise<ExecuteResult> {
    const { streamId } = options;
    return new Promise((resolve, reject) => {
      const command = { options, resolve, reject };
      const waiting = this.#waiting.get(streamId);
      if (waiting) {
        waiting.push(command);
        return;
      }
      const commands = [command];
      this.#waiting.set(streamId, commands);
      void this.#parts.lanes
        .run(streamId, () => {
          this.#waiting.delete(streamId);
          return this.#carryOut(commands);
        })
        .catch((error: unknown) => {
          for (const each of commands) each.reject(error);
        });
    });
  }

  /** The first by itself, which finds out what others have done to the stream. */
  async #carryOut([first, ...others]: readonly Waiting[]): Promise<void> {
    if (!first) return;
    await this.#alone(first);
    const { alone, again } = await this.#together(others.slice(0, longestRun));
    for (const command of alone) await this.#alone(command);
    await this.#carryOut([...again, ...others.slice(longestRun)]);
  }

  #alone({ options, resolve, reject }: Waiting): Promise<void> {
    return this.#parts.execute(options).then(resolve, reject);
  }

  async #together(commands: readonly Waiting[]): Promise<LeftOver> {
    const [first] = commands;
    if (!first) return { alone: [], again: [] };
    const { streamId, fold } = first.options;
    const place = this.#parts.cache.placeOf(streamId, fold);
    const keepSnapshot = this.#parts.snapshots.keeper(streamId, fold);
    const { known } = place;
    if (!known) return { alone: commands, again: [] };
    const { run, refused, alone } = decideRun(commands, fold, known);
    const again: Waiting[] = [];
    const results = await this.#parts.store.appendRun(run.map(({ request }) => request));
    let loaded = known;
    for (const [index, command] of run.entries()) {
      const result = results[index];
      if (result?.status !== 'fulfilled') command.reject(result?.reason);
      else if (result.value.kind === 'appended') {
        const { decision, options, request, resolve } = command;
        // Only without a gap: an append before it may have been written although it failed.
        if (request.expectedVersion === loaded.version)
          loaded = afterAppend(loaded, options, decision.events, result.value);
        resolve(executed(bodyOf(decision.reply), result.value));
      } else (result.value.kind === 'conflict' ? again : alone).push(command);
    }
    place.keep(loaded);
    keepSnapshot(known.version, loaded);
    const open = await this.#refuse(refused);
    return { alone: await this.#unknown(alone), again: [...again, ...open] };
  }

  /** Refuses the commands that are refused on the stream as it is now, too; returns the others. */
  async #refuse(commands: readonly Waiting[]): Promise<Waiting[]> {
    const [first] = commands;
    if (!first) return [];
    const { state, version } = await this.#parts.load(first.options.streamId, first.options.fold);
    const open: Waiting[] = [];
    const refused: (Waiting & { readonly rejection: Rejected })[] = [];
    for (const command of commands) {
      const decision = decide(command, state, version);
      if (decision?.kind === 'no') refused.push({ ...command, rejection: decision.rejection });
      else if (decision) open.push(command);
    }
    for (const { resolve, rejection } of await this.#unknown(refused))
      resolve({ kind: 'rejected', rejection });
    return open;
  }

  /** Answers those that were carried out before, and returns the others. */
  async #unknown<Command extends Waiting>(commands: readonly Command[]): Promise<Command[]> {
    const found = await Promise.all(
      commands.map(({ options: { command } }) => command && this.#parts.store.findCommand(command.commandId)),
    );
    return commands.filter(({ options: { command }, resolve }, index) => {
      const repeated = found[index];
      if (repeated) resolve(answerRepeated(repeated, command?.fingerprint ?? null));
      return !repeated;
    });
  }
}

/** Each on what those before it leave behind, if they are all written. */
function decideRun(
  commands: readonly Waiting[],
  fold: AnyCommand['fold'],
  known: Loaded<unknown>,
): DecidedRun {
  const run: Decided[] = [];
  const refused: Waiting[] = [];
  const alone: Waiting[] = [];
  let { state, version } = known;
  for (const command of commands) {
    const { options } = command;
    const isAlike = options.fold === fold && options.accountId === known.accountId;
    const decided = isAlike ? decide(command, state, version) : ({ kind: 'open' } as const);
    switch (decided?.kind) {
      case 'plain': {
        const { decision, request, after } = decided;
        run.push({ ...command, decision, request });
        state = after;
        version += decision.events.length;
        break;
      }
      case 'no':
        refused.push(command);
        break;
      case 'open':
        alone.push(command);
        break;
    }
  }
  return { run, refused, alone };
}

type Said =
  | {
      readonly kind: 'plain';
      readonly decision: Decision;
      readonly request: AppendRequest;
      /** The state once it is written. */
      readonly after: unknown;
    }
  | { readonly kind: 'no'; readonly rejection: Rejected }
  | { readonly kind: 'open' };

/** What can be said from the state alone; undefined for a command that has failed. */
function decide({ options, reject }: Waiting, state: unknown, version: number): Said | undefined {
  try {
    const decision = options.decide(state, version);
    if (decision instanceof Promise) {
      // It is about another state than the one that it will be asked about.
      decision.catch(() => undefined);
      return { kind: 'open' };
    }
    if (!('events' in decision)) return { kind: 'no', rejection: decision };
    const isPlain = !decision.claims && !decision.timers && !decision.cancelTimers;
    if (!isPlain) return { kind: 'open' };
    const after = decision.events.reduce(options.fold.evolve, state);
    return { kind: 'plain', decision, request: toAppend(options, version, decision), after };
  } catch (error) {
    reject(error);
    return undefined;
  }
}
