import type { EventStore, Moment } from '../port.ts';
import type { Fold } from './decider.ts';
import type { Loaded } from './folding.ts';

/** Versions of a stream between two snapshots. */
const apart = 5_000;

/**
 * Keeps what streams that never end come to, for folds that say how, and finds it again. A hint: what cannot be read or
 * kept costs time only.
 */
export class Snapshots {
  readonly #store: Pick<EventStore, 'findSnapshot' | 'keepSnapshot'>;
  #erasures = 0;

  constructor(store: Pick<EventStore, 'findSnapshot' | 'keepSnapshot'>) {
    this.#store = store;
  }

  /** People were erased: what was read before may still know them, and is not kept. */
  forget(): void {
    this.#erasures += 1;
  }

  /** Keeps where one is due; to be asked for before anything is read. */
  keeper<State, Event>(streamId: string, fold: Fold<State, Event>): KeepSnapshot<State> {
    const { snapshots: form } = fold;
    if (!form) return () => undefined;
    const before = this.#erasures;
    return (from, { state, version, accountId, position, recordedAt }) => {
      const isDue = Math.floor(version / apart) > Math.floor(from / apart);
      if (!isDue || recordedAt === null || before !== this.#erasures) return;
      const keep = async () => {
        const packed = { version, accountId, position, recordedAt, state: form.pack(state) };
        await this.#store.keepSnapshot(streamId, form.name, packed);
      };
      keep().catch(() => undefined);
    };
  }

  /** The newest that is not after a moment and can be read. */
  async find<State, Event>(
    streamId: string,
    fold: Fold<State, Event>,
    moment: Moment = {},
  ): Promise<Loaded<State> | undefined> {
    const { snapshots: form } = fold;
    const found = form && (await this.#store.findSnapshot(streamId, form.name, moment));
    if (!found) return undefined;
    try {
      return { ...found, state: form.unpack(found.state) };
    } catch {
      return this.find(streamId, fold, { ...moment, version: found.version - 1 });
    }
  }
}

/** `from`: the version that was folded on from. */
type KeepSnapshot<State> = (from: number, loaded: Loaded<State>) => void;
