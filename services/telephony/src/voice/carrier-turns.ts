import type { OnModuleInit } from '@nestjs/common';
import { makeBesideLog, type SqlExecutor } from '@parley/event-store';
import type { VoiceConfig } from './config.ts';

/** When the last new call by each line to a carrier has its turn, or had it. */
const tables = `
create table if not exists carrier.turns (
  line text primary key,
  last_at timestamptz not null
);
`;

/** Milliseconds between as many turns as make a second; a little more, as calls are not equally long on their way. */
const secondMs = 1_200;

/**
 * Turns of new calls on the line to the carrier, which those of all accounts share: of more in a second than it takes, it
 * refuses the rest, and those calls have failed. All copies of the service take them from one row. Postgres tells the
 * time, and not the platform clock, as the carrier lives in real time.
 */
export class CarrierTurns implements OnModuleInit {
  readonly #sql: SqlExecutor;
  readonly #line: string;
  /** Milliseconds between two calls; null at the sandbox, which takes any number at once. */
  readonly #spacingMs: number | null;

  constructor(
    sql: SqlExecutor,
    {
      CARRIER_CALLS_PER_SECOND: perSecond,
      CARRIER_SIP_ADDRESS: line,
      LIVEKIT_URL,
    }: Pick<VoiceConfig, 'CARRIER_CALLS_PER_SECOND' | 'CARRIER_SIP_ADDRESS' | 'LIVEKIT_URL'>,
  ) {
    this.#sql = sql;
    this.#line = line;
    this.#spacingMs = LIVEKIT_URL === undefined ? null : secondMs / perSecond;
  }

  async onModuleInit(): Promise<void> {
    await makeBesideLog(this.#sql, 'carrier', tables);
  }

  /** Takes the next turn: in how many milliseconds it is; null when none is so soon, and none was taken. */
  async take(withinMs: number): Promise<number | null> {
    if (this.#spacingMs === null) return 0;
    const { rows } = await this.#sql.query<{ wait_ms: number }>({
      name: 'take-carrier-turn',
      text: `insert into carrier.turns as t (line, last_at) values ($1, clock_timestamp())
             on conflict (line) do update
               set last_at = greatest(clock_timestamp(), t.last_at + $2 * interval '1 ms')
               where t.last_at + $2 * interval '1 ms' <= clock_timestamp() + $3 * interval '1 ms'
             returning greatest(0, 1000 * extract(epoch from t.last_at - clock_timestamp()))::float8 as wait_ms`,
      values: [this.#line, this.#spacingMs, withinMs],
    });
    return rows[0] ? Math.ceil(rows[0].wait_ms) : null;
  }
}
