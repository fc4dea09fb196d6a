import { happenedBy } from '../moment.ts';
import type { EventStore, Moment, NewEvent } from '../port.ts';
import { chunksFrom } from '../stream-chunks.ts';
import { type AnyCommand, CommandRuns } from './command-runs.ts';
import type { Fold } from './decider.ts';
import { bodyOf, type ExecuteOptions, toAppend } from './execute-options.ts';
import { type ExecuteResult, executed } from './execute-result.ts';
import { FoldCache, type FoldPlace } from './fold-cache.ts';
import { afterAppend, foldOnto, type Loaded, nothingYet } from './folding.ts';
import { KeyedLanes } from './keyed-lanes.ts';
import { Contended, LostRaces } from './lost-races.ts';
import { answerRepeated } from './repeated-command.ts';
import { Snapshots } from './snapshots.ts';

export interface AggregatesOptions {
  /**
   * Folds kept in memory; 10,000 when absent, and of all no more than some 128 MiB. They are a hint: every decision is
   * checked against the log.
   */
  readonly maxCached?: number;
  /** For how long a command that keeps losing races to other processes is decided again; 5,000 when absent. */
  readonly racingMs?: number;
}

/** Most states are of a kilobyte or less; a lead's variables may be two hundred times as large. */
const maxCachedBytes = 128 * 1024 * 1024;
/** Most streams are shorter, and read at once. Of others, such as an account's ledger of years, a part is in memory at a time. */
const readFirst = 100;

/**
 * Loads, decides, appends. Commands on one stream run one after another in this process, or in runs; a race lost to another
 * process is decided again for some seconds. Rejects with a bug's or the infrastructure's error, or with `Contended`,
 * which is waited out like an outage.
 */
export class Aggregates {
  readonly #store: EventStore;
  readonly #cache: FoldCache;
  readonly #lanes = new KeyedLanes();
  readonly #runs: CommandRuns;
  readonly #racingMs: number | undefined;
  readonly #snapshots: Snapshots;

  constructor(store: EventStore, options: AggregatesOptions = {}) {
    this.#store = store;
    this.#racingMs = options.racingMs;
    this.#cache = new FoldCache({ maxEntries: options.maxCached ?? 10_000, maxBytes: maxCachedBytes });
    this.#snapshots = new Snapshots(store);
    this.#runs = new CommandRuns({
      store,
      cache: this.#cache,
      snapshots: this.#snapshots,
      lanes: this.#lanes,
      execute: (options) => this.#execute(options),
      load: (streamId, fold) => this.load(streamId, fold),
    });
    store.onErased(() => {
      this.#cache.clear();
      this.#snapshots.forget();
    });
  }

  execute<State, Event extends NewEvent, Reply>(
    options: ExecuteOptions<State, Event, Reply>,
  ): Promise<ExecuteResult> {
    // Those of a run have the same fold, and so the same types.
    if (options.inRuns) return this.#runs.execute(options as unknown as AnyCommand);
    return this.#lanes.run(options.streamId, () => this.#execute(options));
  }

  /** The stream folded as it is now. */
  async load<State, Event extends NewEvent>(
    streamId: string,
    fold: Fold<State, Event>,
  ): Promise<Loaded<State>> {
    const place = this.#cache.placeOf(streamId, fold);
    return this.#refresh(place, place.known);
  }

  /**
   * As `load`, but without a look for newer events when a fold is in memory: for what never changes once it is there.
   */
  async recall<State, Event extends NewEvent>(
    streamId: string,
    fold: Fold<State, Event>,
  ): Promise<Loaded<State>> {
    const place = this.#cache.placeOf(streamId, fold);
    return place.known ?? this.#refresh(place);
  }

  /** The stream folded as it was at a moment. */
  async loadAt<State, Event extends NewEvent>(
    streamId: string,
    fold: Fold<State, Event>,
    moment: Moment,
  ): Promise<Loaded<State>> {
    return this.#fold(streamId, fold, nothingYet(fold), moment);
  }

  /**
   * The first answer of a command that was carried out before; undefined for a new one. For commands that do
   * something outside before they append, which a repetition must not do again.
   */
  async answerOf(command: NonNullable<ExecuteOptions<unknown, NewEvent, unknown>['command']>) {
    const repeated = await this.#store.findCommand(command.commandId);
    return repeated && answerRepeated(repeated, command.fingerprint);
  }

  async #execute<State, Event extends NewEvent, Reply>(
    options: ExecuteOptions<State, Event, Reply>,
  ): Promise<ExecuteResult> {
    const { streamId, fold, command } = options;
    const place = this.#cache.placeOf(streamId, fold);
    const keepSnapshot = this.#snapshots.keeper(streamId, fold);
    let isFresh = place.known === undefined && options.isNew !== true;
    let loaded = isFresh ? await this.#refresh(place) : (place.known ?? nothingYet(fold));
    const races = new LostRaces(this.#racingMs);
    for (;;) {
      const visible =
        loaded.version > 0 && loaded.accountId !== options.accountId ? nothingYet(fold) : loaded;
      const decision = await options.decide(visible.state, visible.version);
      if (!('events' in decision)) {
        const repeated = command && (await this.#store.findCommand(command.commandId));
        if (repeated) return answerRepeated(repeated, command.fingerprint);
        // A "no" is only as good as the state it is based on, and no append checks it.
        const newer = isFresh ? loaded : await this.#refresh(place, loaded);
        if (newer.version === loaded.version) return { kind: 'rejected', rejection: decision };
        loaded = newer;
        isFresh = true;
        continue;
      }
      const result = await this.#store.append(toAppend(options, visible.version, decision));
      switch (result.kind) {
        case 'appended':
          if (visible === loaded) {
            const after = afterAppend(loaded, options, decision.events, result);
            place.keep(after);
            keepSnapshot(loaded.version, after);
          }
          return executed(bodyOf(decision.reply), result);
        case 'repeated':
          return answerRepeated(result, command?.fingerprint ?? null);
        case 'claim-taken':
          if (!decision.onClaimTaken) throw new Error(`Nobody says what a taken ${result.scope} means.`);
          return { kind: 'rejected', rejection: decision.onClaimTaken(result) };
        case 'conflict':
          if (!(await races.mayRetry()))
            throw new Contended(`${streamId} is written by others without pause.`);
          // Shorter than the cached fold: the person was erased and a new stream has the name.
          loaded = await this.#refresh(place, result.actualVersion < loaded.version ? undefined : loaded);
          isFresh = true;
          break;
        case 'checkpoint-moved':
        case 'timer-gone':
          throw new Error(`A command got ${result.kind}, which it cannot cause.`);
        default:
          result satisfies never;
      }
    }
  }

  /** Folds what the log has beyond what is known. */
  async #refresh<State, Event extends NewEvent>(
    place: FoldPlace<State, Event>,
    known: Loaded<State> = nothingYet(place.fold),
  ): Promise<Loaded<State>> {
    const loaded = await this.#fold(place.streamId, place.fold, known);
    place.keep(loaded);
    return loaded;
  }

  /** Folds what the stream has beyond what is known, up to a moment if there is one. */
  async #fold<State, Event extends NewEvent>(
    streamId: string,
    fold: Fold<State, Event>,
    known: Loaded<State>,
    moment?: Moment,
  ): Promise<Loaded<State>> {
    const keepSnapshot = this.#snapshots.keeper(streamId, fold);
    let loaded = known;
    if (known.version === 0 && fold.snapshots)
      loaded = (await this.#snapshots.find(streamId, fold, moment)) ?? known;
    const chunks = chunksFrom(this.#store, streamId, loaded.version + 1, moment?.version, readFirst);
    for await (const events of chunks) {
      const { version } = loaded;
      const wanted = moment ? events.filter(happenedBy(moment)) : events;
      loaded = foldOnto(loaded, fold, wanted);
      keepSnapshot(version, loaded);
      // What comes later in the stream happened later.
      if (wanted.length < events.length) break;
    }
    return loaded;
  }
}
