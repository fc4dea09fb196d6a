import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  beginLeadImport,
  importLeadRows,
  importLeads,
  type LeadImportEvent,
  type OperationInput,
  type Rejection,
} from '@parley/contracts';
import {
  Aggregates,
  type Clock,
  createIdAllocator,
  type Decision,
  type EventStore,
  type ExecuteResult,
  type SqlExecutor,
} from '@parley/event-store';
import type { BusReply, MessageContext } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  CLOCK,
  CommandHandler,
  causeOf,
  EVENT_STORE,
  jsonReply,
  READ_POOL,
  toReply,
} from '@parley/service-kit';
import type { z } from 'zod';
import { campaign, campaignStream, living } from '../campaign/campaign.ts';
import { addLeads, type LeadAdding } from './add-leads.ts';
import { type AddLeads, beginImport, finishImport, importRows } from './decisions.ts';
import { type LeadImport, leadImport, leadImportStream } from './lead-import.ts';

@Controller()
export class LeadImportController {
  readonly #aggregates: Aggregates;
  readonly #clock: Clock;
  readonly #adding: LeadAdding;

  constructor(
    aggregates: Aggregates,
    @Inject(CLOCK) clock: Clock,
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(READ_POOL) sql: SqlExecutor,
  ) {
    this.#aggregates = aggregates;
    this.#clock = clock;
    this.#adding = { store, sql, ids: createIdAllocator(sql, 'lead_ids') };
  }

  @CommandHandler(beginLeadImport)
  async begin(
    @Payload() { upload_id: importId, campaign_id: campaignId, columns: header }: BeginInput,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const target = await this.#aggregates.load(campaignStream(campaignId), campaign);
    const isOwnCampaign = living(target.state) !== null && target.accountId === accountOf(message);
    const beginning = { importId, campaignId, isOwnCampaign, header };
    const result = await this.#execute(importId, message, (state) => beginImport(state, beginning));
    if (result.kind === 'rejected') return toReply(result);
    const { state } = await this.#aggregates.load(leadImportStream(importId), leadImport);
    return jsonReply({ chunks: state?.chunks ?? 0 });
  }

  @CommandHandler(importLeadRows)
  async addRows(
    @Payload() { upload_id: importId, ...chunk }: z.output<typeof importLeadRows.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const accountId = accountOf(message);
    const { metadata } = causeOf(message);
    const add: AddLeads = async ({ campaignId }, rows) => {
      const [now, { state }] = await Promise.all([
        this.#clock.now(),
        this.#aggregates.load(campaignStream(campaignId), campaign),
      ]);
      if (!living(state)) return undefined;
      return addLeads(this.#adding, { importId, campaignId, accountId, metadata, now, rows });
    };
    const result = await this.#execute(importId, message, (state) => importRows(state, chunk, add));
    return toReply(result);
  }

  @CommandHandler(importLeads)
  async finish(
    @Payload() _input: OperationInput<typeof importLeads>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return toReply(await this.#execute(message.commandId ?? '', message, finishImport));
  }

  #execute<Reply>(
    importId: string,
    message: MessageContext,
    decide: (state: LeadImport) => Outcome<Reply> | Promise<Outcome<Reply>>,
  ): Promise<ExecuteResult> {
    return this.#aggregates.execute({
      ...causeOf(message),
      streamId: leadImportStream(importId),
      category: 'lead-import',
      accountId: accountOf(message),
      fold: leadImport,
      decide,
    });
  }
}

type BeginInput = z.output<typeof beginLeadImport.input>;
type Outcome<Reply> = Decision<LeadImportEvent, Reply> | Rejection;
