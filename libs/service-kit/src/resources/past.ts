import { invalidField, type Rejection } from '@parley/contracts';
import type { Aggregates, EventStore, Fold, Loaded, Moment, NewEvent } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import { notFoundReply, rejectedReply } from '../requests/replies.ts';
import { momentOf } from './moment.ts';

/** A moment that has come. */
export interface PastMoment extends Moment {
  /** What the platform clock said then. */
  readonly at: Date;
  /** The same, as exactly as the log has it: ISO 8601. */
  readonly atExactly: string;
}

interface PastOf<State, Event extends NewEvent> {
  readonly accountId: number;
  readonly streamId: string;
  readonly fold: Fold<State, Event>;
}

/** The service as it was: what every GET with `as_of` is answered from. */
export class Past {
  readonly #aggregates: Aggregates;
  readonly #store: EventStore;

  constructor(aggregates: Aggregates, store: EventStore) {
    this.#aggregates = aggregates;
    this.#store = store;
  }

  /** Reads `as_of`; what is no moment, or has not come yet, is `invalid`. Undefined, for now, where it was not given. */
  momentOf(asOf: string): Promise<PastMoment | Rejection>;
  momentOf(asOf: string | undefined): Promise<PastMoment | Rejection | undefined>;
  async momentOf(asOf: string | undefined): Promise<PastMoment | Rejection | undefined> {
    if (asOf === undefined) return undefined;
    const moment = momentOf(asOf);
    if ('code' in moment) return moment;
    if (!(await this.hasCome(moment)))
      return invalidField('as_of', 'The as of field must not be in the future.');
    const { position = 0, time } = moment;
    if (time !== undefined) return { time, at: new Date(time), atExactly: time };
    const [event] = position === 0 ? [] : await this.#store.readAll({ after: position - 1, limit: 1 });
    const atExactly = event?.recordedAt ?? new Date(0).toISOString();
    return { position, at: new Date(atExactly), atExactly };
  }

  /** Whether the platform clock, or the log, has got to a time or a position. */
  async hasCome({ time, position }: Moment): Promise<boolean> {
    if (time !== undefined) return new Date(time) <= (await this.#store.now());
    return position === undefined || position <= (await this.#store.head());
  }

  /** The account's own stream folded as it was; null when it did not exist then, or is another account's. */
  async load<State, Event extends NewEvent>(
    moment: Moment,
    { accountId, streamId, fold }: PastOf<State, Event>,
  ): Promise<Loaded<State> | null> {
    const at = await this.#aggregates.loadAt(streamId, fold, moment);
    return at.version > 0 && at.accountId === accountId ? at : null;
  }

  /**
   * Answers a GET of one resource with `as_of`, rendered as the API shows it. What did not exist then, is another
   * account's or is rendered as `null` is not found.
   */
  async read<State, Event extends NewEvent>(
    asOf: string,
    resource: PastOf<State, Event>,
    render: (state: State, at: Loaded<State>, moment: Moment) => object | null | Promise<object | null>,
  ): Promise<BusReply> {
    const moment = await this.momentOf(asOf);
    if ('code' in moment) return rejectedReply(moment);
    const at = await this.load(moment, resource);
    const shown = at && (await render(at.state, at, moment));
    if (!shown) return notFoundReply();
    return { kind: 'ok', body: JSON.stringify({ data: shown }), version: at.version };
  }
}
