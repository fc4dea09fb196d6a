import { Controller, type Type } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  checkImport,
  decisionOfStream,
  importEvents,
  operatorSubject,
  readBelongings,
  setStanding,
} from '@parley/contracts';
import type { BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import type { z } from 'zod';
import { causeOf } from '../requests/cause.ts';
import { SubjectHandler } from '../requests/handlers.ts';
import { jsonReply, rejectedReply } from '../requests/replies.ts';
import type { Background } from '../service-definition.ts';
import type { ServiceParts } from '../start/service-parts.ts';
import { type HeldName, readHeldNames } from './held-names.ts';
import { importIntoLog, isoTime } from './import-log.ts';
import { setStandingTimers } from './standing-timers.ts';
import { streamEnds } from './stream-ends.ts';
import { endImport, unfinishedImports } from './unfinished-imports.ts';

const hasId = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/;

/** An account's events on their way out of an installation, and into another one. */
export function importsController(
  service: string,
  { standingTimers = [] }: Background,
  { store, opened: { seals } }: Pick<ServiceParts, 'store' | 'opened'>,
): Type {
  const { pool } = store;

  /** Where a name holds a number, an id stands for it that means nothing elsewhere. */
  async function withReadableKey(accountId: number, name: HeldName): Promise<HeldName> {
    if (!hasId.test(name.key)) return name;
    const events = await store.readStream(name.owner.replace(decisionOfStream, ''));
    return { ...name, key: await seals.readableKey(accountId, name.key, events) };
  }

  @Controller()
  class ImportsController {
    @SubjectHandler(operatorSubject(service, readBelongings), readBelongings.input)
    async belongings(@Payload() input: z.output<typeof readBelongings.input>): Promise<BusReply> {
      const { head, held, after } = await readHeldNames(pool, input);
      const names = await Promise.all(held.map((name) => withReadableKey(input.account_id, name)));
      return jsonReply({ names, after, next_ids: await this.#nextIds(), head });
    }

    @SubjectHandler(operatorSubject(service, checkImport), checkImport.input)
    async check(@Payload() input: z.output<typeof checkImport.input>): Promise<BusReply> {
      const [streams, first, times, unfinished] = await Promise.all([
        streamEnds(pool, input.stream_ids),
        pool.query('select from es.events where account_id = any($1) limit 1', [input.account_ids]),
        pool.query<{ now: string; newest_at: string | null }>(
          `select ${isoTime('es.now()')} as now, (
             select ${isoTime('recorded_at')} from es.events order by position desc limit 1
           ) as newest_at`,
        ),
        unfinishedImports(pool, input.account_ids),
      ]);
      return jsonReply({
        streams: [...streams],
        has_events: first.rows.length > 0,
        newest_at: times.rows[0]?.newest_at ?? null,
        now: times.rows[0]?.now,
        next_ids: await this.#nextIds(),
        unfinished,
      });
    }

    @SubjectHandler(operatorSubject(service, importEvents), importEvents.input)
    async import(@Payload() input: z.output<typeof importEvents.input>): Promise<BusReply> {
      const outcome = await importIntoLog(pool, seals, input);
      return 'refusal' in outcome ? rejectedReply(outcome.refusal) : jsonReply(outcome);
    }

    @SubjectHandler(operatorSubject(service, setStanding), setStanding.input)
    async setStanding(
      @Payload() { account_id }: z.output<typeof setStanding.input>,
      @Ctx() { message }: BusContext,
    ): Promise<BusReply> {
      for (const standing of standingTimers)
        await setStandingTimers(store, standing, account_id, causeOf(message).metadata);
      await endImport(pool, account_id);
      return jsonReply({});
    }

    async #nextIds(): Promise<Record<string, number>> {
      const { rows } = await pool.query<{ name: string; next: number }>(
        `select sequencename as name, last_value + increment_by as next from pg_sequences
         where schemaname = 'es' and sequencename like '%\\_ids' and last_value is not null order by 1`,
      );
      return Object.fromEntries(rows.map(({ name, next }) => [name, next]));
    }
  }
  return ImportsController;
}
