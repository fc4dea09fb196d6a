import { createBatchLoader } from '@parley/batching';
import type pg from 'pg';
import { validate as isUuid } from 'uuid';
import type { DecodeEvents } from '../../decode-events.ts';
import type {
  AppendResult,
  ReadAllOptions,
  ReadStreamOptions,
  RecordedEvent,
  RepeatedCommand,
} from '../../port.ts';
import type { PreparedAppend } from '../../prepare-append.ts';
import { lookUpTime, scanTime } from '../connection/answer-time.ts';
import { type EventRow, eventColumns, toRecordedEvent } from './event-row.ts';

interface StreamPage {
  readonly streamId: string;
  readonly from: number;
  readonly to: number;
}

/** A long stream is read in pages, so that it does not hold up the streams that are read together with it. */
const streamPageSize = 1_000;
const lastVersion = 2_147_483_647;

/** Reads the log over the pool. What is asked for in one tick travels in one query. */
export class Reader {
  readonly #pool: pg.Pool;
  readonly #decode: DecodeEvents;
  readonly #loadPage = createBatchLoader((pages: readonly StreamPage[]) => this.#readPages(pages));
  readonly #loadCommand = createBatchLoader((ids: readonly string[]) => this.#readCommands(ids));
  readonly #loadHead = createBatchLoader(async (keys: readonly null[]) => {
    const head = await this.#readHead();
    return keys.map(() => head);
  });

  constructor(pool: pg.Pool, decode: DecodeEvents) {
    this.#pool = pool;
    this.#decode = decode;
  }

  async readStream(streamId: string, options: ReadStreamOptions = {}): Promise<RecordedEvent[]> {
    const to = Math.min(options.toVersion ?? lastVersion, lastVersion);
    const events: RecordedEvent[] = [];
    for (let from = options.fromVersion ?? 1; from <= to; from += streamPageSize) {
      const page = await this.#loadPage({ streamId, from, to: Math.min(to, from + streamPageSize - 1) });
      events.push(...page);
      if (page.length < streamPageSize) break;
    }
    return events;
  }

  async readAll({
    after,
    upTo,
    limit,
    positions,
    types,
    accountId,
    accountIds,
    streamId,
    correlationId,
    importedKey,
  }: ReadAllOptions): Promise<RecordedEvent[]> {
    const values: unknown[] = [after, limit];
    // Of a stream, or a request, its own index knows the order; by positions, the whole log would be looked through.
    const ofRequest = correlationId === undefined ? 'e.position' : '+e.position';
    const position = streamId === undefined ? ofRequest : 'e.position + 0';
    const where = (condition: string, value: unknown) => `and ${condition} $${values.push(value)}`;
    const whereAny = (column: string, those: readonly unknown[]) =>
      `and e.${column} = any($${values.push(those)})`;
    const filters = [
      upTo === undefined ? '' : where(`${position} <=`, upTo),
      positions === undefined ? '' : whereAny('position', positions),
      types === undefined ? '' : whereAny('type', types),
      accountId === undefined ? '' : where('e.account_id =', accountId),
      accountIds === undefined ? '' : whereAny('account_id', accountIds),
      streamId === undefined ? '' : `${where('e.stream_id =', streamId)} ${behindInStream(values.length)}`,
      correlationId === undefined ? '' : where("e.metadata ->> 'correlationId' =", correlationId),
      importedKey === undefined
        ? ''
        : where(
            "e.metadata ? 'imported' and coalesce(e.data ->> 'hold_id', e.data ->> 'reference') =",
            importedKey,
          ),
    ];
    const { rows } = await this.#pool.query<EventRow>({
      name: `es-read-all ${filters.map((filter) => (filter === '' ? '-' : 'x')).join('')}`,
      text: `select ${eventColumns} from es.events e
        where ${position} > $1 ${filters.join(' ')}
        order by ${streamId === undefined ? position : 'e.stream_version'} limit $2`,
      values,
      rowMode: 'array',
      ...((types ?? accountId ?? accountIds) === undefined ? lookUpTime : scanTime),
    });
    return [...(await this.#decode(rows.map(toRecordedEvent)))];
  }

  async findCommand(commandId: string): Promise<RepeatedCommand | undefined> {
    return isUuid(commandId) ? this.#loadCommand(commandId) : undefined;
  }

  head(): Promise<number> {
    return this.#loadHead(null);
  }

  /** What an append became that was sent but not acknowledged: its event ids are in the log or they are not. */
  async findWritten({ events }: PreparedAppend): Promise<AppendResult | undefined> {
    const last = events.at(-1);
    if (!last) return undefined;
    const { rows } = await this.#pool.query<EventRow>({
      text: `select ${eventColumns} from es.events e where e.event_id = $1`,
      values: [last.eventId],
      rowMode: 'array',
      ...lookUpTime,
    });
    if (!rows[0]) return undefined;
    const { streamVersion: version, position, recordedAt } = toRecordedEvent(rows[0]);
    return { kind: 'appended', version, position, recordedAt };
  }

  async #readPages(pages: readonly StreamPage[]): Promise<RecordedEvent[][]> {
    const { rows } = await this.#pool.query<[...EventRow, number]>({
      name: 'es-read-streams',
      text: `select ${eventColumns}, k.i
        from unnest($1::text[], $2::int4[], $3::int4[]) with ordinality k (stream_id, first, last, i)
        cross join lateral (
          select * from es.events e
          where e.stream_id = k.stream_id and e.stream_version between k.first and k.last
          order by e.stream_version
        ) e
        order by k.i, e.stream_version`,
      values: [
        pages.map(({ streamId }) => streamId),
        pages.map(({ from }) => from),
        pages.map(({ to }) => to),
      ],
      rowMode: 'array',
      ...lookUpTime,
    });
    const read = pages.map((): RecordedEvent[] => []);
    const events = await this.#decode(rows.map(toRecordedEvent));
    for (const [index, event] of events.entries()) read[(rows[index]?.[11] ?? 0) - 1]?.push(event);
    return read;
  }

  async #readCommands(ids: readonly string[]): Promise<(RepeatedCommand | undefined)[]> {
    const { rows } = await this.#pool.query<Omit<RepeatedCommand, 'kind'> & { id: string }>({
      name: 'es-find-commands',
      text: `select command_id as id, fingerprint, reply, version, position,
          round(extract(epoch from es.now() - created_at) * 1000)::float8 as "ageMs"
        from es.commands where command_id = any($1::uuid[])`,
      values: [ids],
      ...lookUpTime,
    });
    const byId = new Map(rows.map(({ id, ...command }) => [id, { kind: 'repeated' as const, ...command }]));
    return ids.map((id) => byId.get(id.toLowerCase()));
  }

  async #readHead(): Promise<number> {
    const { rows } = await this.#pool.query<{ position: number }>({
      name: 'es-head',
      text: 'select position from es.head',
      ...lookUpTime,
    });
    return rows[0]?.position ?? 0;
  }
}

/**
 * A stream's order is the log's. Whoever reads it page by page is at one of its events, and goes on right behind it:
 * by positions, each page would look at the whole stream.
 */
const behindInStream = (parameter: number): string => `and e.stream_version > coalesce(
  (select l.stream_version from es.events l where l.position = $1 and l.stream_id = $${parameter}), 0)`;
