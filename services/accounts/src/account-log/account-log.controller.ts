import { Controller, Inject, type OnModuleInit } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  invalidField,
  listEvents,
  type OperationInput,
  type OperationSuccess,
  publicEvents,
} from '@parley/contracts';
import type { SqlExecutor } from '@parley/event-store';
import type { BusClient, BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  BUS_CLIENT,
  jsonReply,
  QueryHandler,
  READ_POOL,
  rejectedReply,
} from '@parley/service-kit';
import { AccountLog, type LoggedEvent } from './account-log.ts';
import { prepareAccountLog } from './account-log-schema.ts';
import { AccountOrder } from './account-order.ts';

type Page = OperationSuccess<typeof listEvents>;

@Controller()
export class AccountLogController implements OnModuleInit {
  readonly #sql: SqlExecutor;
  readonly #log: AccountLog;

  constructor(@Inject(BUS_CLIENT) bus: BusClient, @Inject(READ_POOL) sql: SqlExecutor) {
    this.#sql = sql;
    this.#log = new AccountLog(bus, new AccountOrder(sql));
  }

  async onModuleInit(): Promise<void> {
    await prepareAccountLog(this.#sql);
  }

  @QueryHandler(listEvents)
  async list(
    @Payload() { after, types, actor, limit }: OperationInput<typeof listEvents>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const wanted = { accountId: accountOf(message), after, limit, types: types?.split(',') ?? null };
    const page = await this.#log.readBy(actor, wanted, message);
    if ('end' in page) return rejectedReply(invalidField('after', `The newest event is at ${page.end}.`));
    const { events, next, hasMore, missing } = page;
    const body: Page = {
      data: events.map(toEnvelope),
      next_position: next,
      has_more: hasMore,
      missing_services: missing,
    };
    return jsonReply(body);
  }
}

const toEnvelope = ({ entry, event }: LoggedEvent): Page['data'][number] => ({
  position: entry.position,
  event_id: event.event_id,
  type: event.type,
  schema_version: event.schema_version,
  service: entry.service,
  service_position: event.position,
  stream_id: event.stream_id,
  stream_version: event.stream_version,
  occurred_at: event.recorded_at,
  actor: event.metadata.actor,
  request_id: event.metadata.correlation_id,
  caused_by: event.metadata.causation_id,
  data: publicEvents.dataOf(event),
});
