import { Inject, Injectable } from '@nestjs/common';
import { type Rejection, reject } from '@parley/contracts';
import {
  type EventMetadata,
  type EventStore,
  KeyedLanes,
  LostRaces,
  type SqlExecutor,
} from '@parley/event-store';
import { spellingsOf } from '@parley/phone-numbers';
import { withOrigin } from '@parley/processing';
import { EVENT_STORE, READ_POOL } from '@parley/service-kit';
import { type Checked, checkUnlessRenewed } from '../message/outgoing/message-check.ts';
import { recipientsTable } from '../views/recipients-view.ts';
import { type RecentRecipients, refusalByLimit } from './admit-recipient.ts';
import { type LastWritten, limitFlipsAt } from './limit-flip.ts';

/** A message's recipient, and the messaging limit that applies to the message. */
export interface Recipient {
  readonly accountId: number;
  readonly senderId: number;
  /** Unique recipients in 24 hours; null is unlimited. */
  readonly limit: number | null;
  readonly contactPhone: string;
}

/** How the messaging limit stands for one more message to a recipient. */
export interface LimitStanding {
  readonly refusal: Rejection | null;
  /** Number of different recipients in the window. */
  readonly used: number;
  /** The message that this rests on: the last one to the recipient, else the newest that counts. */
  readonly messageId: number | null;
  /** When time alone turns the refusal, in milliseconds since 1970; null when it never does. */
  readonly flipsAt: number | null;
}

/** A remembered count of a sender's recipients. */
interface Counted {
  readonly used: number;
  /** Time of the newest counted message, as text with microseconds. */
  readonly upTo: string;
}

interface Room extends RecentRecipients {
  /** Version of the sender's recipients stream as of the count. */
  readonly version: number;
}

/** Senders whose counts are remembered; beyond that all are forgotten, which only costs work. */
const maxRemembered = 1_000;
/** Up to so many messages since a count, looking at those costs less than a new count. */
const fewSince = 1_000;

const recipientsStream = (senderId: number): string => `recipients-${senderId}`;

/** Keeps senders within their messaging limits: exactly, whatever is sent at the same time by any number of copies. */
@Injectable()
export class Recipients {
  readonly #store: EventStore;
  readonly #sql: SqlExecutor;
  readonly #lanes = new KeyedLanes();
  /** The remembered counts by sender id. */
  readonly #counted = new Map<number, Counted>();

  constructor(@Inject(EVENT_STORE) store: EventStore, @Inject(READ_POOL) sql: SqlExecutor) {
    this.#store = store;
    this.#sql = sql;
  }

  /** The refusal if there is no room at present; takes no place. */
  async refusal(recipient: Recipient): Promise<Rejection | null> {
    if (recipient.limit === null) return null;
    return refusalByLimit(recipient.limit, await this.#room(recipient, recipient.limit));
  }

  /**
   * How the limit stands, or stood at the moment `at`; on which message that rests, and when it turns. Takes no place.
   */
  async standing(recipient: Recipient, at?: string): Promise<LimitStanding> {
    const { senderId, limit } = recipient;
    const [contactPhone] = spellingsOf(recipient.contactPhone);
    const written = await this.#written(senderId, at);
    const own = written.find((last) => last.contactPhone === contactPhone);
    const recent = { used: written.length, isAmongThem: own !== undefined };
    return {
      refusal: limit === null ? null : refusalByLimit(limit, recent),
      used: written.length,
      messageId: (own ?? written.at(-1))?.messageId ?? null,
      flipsAt: limitFlipsAt(limit, written, contactPhone),
    };
  }

  /**
   * Takes a place for the message; the refusal when there is none. Each place of a limited sender is an event on one
   * stream, so that of two that want the last place only one is appended. Requests of this process take turns and race
   * only with other copies. The message's check is set anew, as the message may have been dropped while the place was
   * taken. An unlimited sender needs no place: its recipients are counted by their messages.
   */
  async admit(recipient: Recipient, message: Checked, metadata: EventMetadata): Promise<Rejection | null> {
    const { senderId, limit } = recipient;
    if (limit === null) return null;
    return this.#lanes.run(recipientsStream(senderId), () =>
      this.#takePlace(recipient, limit, message, metadata),
    );
  }

  /** Whether the message has a place that was not given back. */
  async hasPlace(messageId: number): Promise<boolean> {
    const { rowCount } = await this.#sql.query({
      name: 'place-of-message',
      text: `select from ${recipientsTable} where message_id = $1 and given_back_at is null`,
      values: [messageId],
    });
    return rowCount !== 0;
  }

  async #takePlace(
    recipient: Recipient,
    limit: number,
    message: Checked,
    metadata: EventMetadata,
  ): Promise<Rejection | null> {
    const { accountId, senderId, contactPhone } = recipient;
    const races = new LostRaces();
    for (;;) {
      const recent = await this.#room(recipient, limit);
      const refusal = refusalByLimit(limit, recent);
      if (refusal) return refusal;
      const result = await this.#store.append({
        streamId: recipientsStream(senderId),
        category: 'recipients',
        accountId,
        expectedVersion: recent.version,
        metadata,
        events: [
          {
            type: 'RecipientAdmitted',
            data: { sender_id: senderId, message_id: message.message_id, contact_phone: contactPhone },
          },
        ],
        timers: withOrigin([checkUnlessRenewed(message)], accountId, metadata),
      });
      if (result.kind === 'appended') return null;
      if (!(await races.mayRetry())) return reject('contended');
    }
  }

  /**
   * The room that is left. Messages since the remembered count can only have added recipients: while all of them would
   * fit, nothing is counted anew, which would read all of the day's messages, perhaps a hundred thousand.
   */
  async #room(recipient: Recipient, limit: number): Promise<Room> {
    const counted = this.#counted.get(recipient.senderId);
    if (counted) {
      const { since, version } = await this.#since(recipient.senderId, counted.upTo);
      const used = counted.used + since;
      if (since < fewSince && used < limit) return { used, isAmongThem: false, version };
    }
    const { upTo, ...room } = await this.#count(recipient);
    if (this.#counted.size >= maxRemembered) this.#counted.clear();
    this.#counted.set(recipient.senderId, { used: room.used, upTo });
    return room;
  }

  async #since(
    senderId: number,
    upTo: string,
  ): Promise<{ readonly since: number; readonly version: number }> {
    const { rows } = await this.#sql.query<{ since: number; version: number }>({
      name: 'recipients-since',
      text: `select ${versionOfStream} as version, count(*) as since
             from (
               select from ${recipientsTable}
               where sender_id = $2 and at > $3::timestamptz and given_back_at is null limit ${fewSince}
             ) newer`,
      values: [recipientsStream(senderId), senderId, upTo],
    });
    return theRow(rows);
  }

  async #count({ senderId, contactPhone }: Recipient): Promise<Room & Pick<Counted, 'upTo'>> {
    const { rows } = await this.#sql.query<Room & Pick<Counted, 'upTo'>>({
      name: 'recent-recipients',
      text: `select ${versionOfStream} as version,
               count(distinct contact_phone)::int4 as used,
               coalesce(bool_or(contact_phone = $3), false) as "isAmongThem",
               coalesce(max(at), '-infinity')::text as "upTo"
             from ${recipientsTable}
             where sender_id = $2 and at > es.now() - interval '24 hours' and given_back_at is null`,
      values: [recipientsStream(senderId), senderId, spellingsOf(contactPhone)[0]],
    });
    return theRow(rows);
  }

  /** All recipients in the window by the last message to each, oldest first. */
  async #written(senderId: number, at?: string): Promise<readonly LastWritten[]> {
    const { rows } = await this.#sql.query<LastWritten>({
      name: 'last-written-recipients',
      text: `select contact_phone as "contactPhone", (array_agg(message_id order by at desc))[1] as "messageId",
               (extract(epoch from max(at)) * 1000)::float8 as at
             from ${recipientsTable}
             where sender_id = $1 and at > coalesce($2::timestamptz, es.now()) - interval '24 hours'
               and at <= coalesce($2::timestamptz, 'infinity')
               and (given_back_at is null or given_back_at > $2::timestamptz)
             group by contact_phone order by max(at)`,
      values: [senderId, at],
    });
    return rows;
  }
}

const versionOfStream = 'coalesce((select max(stream_version) from es.events where stream_id = $1), 0)';

function theRow<Row>([row]: readonly Row[]): Row {
  if (!row) throw new Error('A count gave no row.');
  return row;
}
