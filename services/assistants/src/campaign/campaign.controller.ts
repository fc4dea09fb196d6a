import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  type CampaignEvent,
  createCampaign as createCampaignOperation,
  deleteCampaign as deletion,
  listCampaigns,
  type OperationInput,
  reject,
  updateCampaign as updateOperation,
  updateCampaignStatus as updateStatusOperation,
} from '@parley/contracts';
import {
  Aggregates,
  type Clock,
  createIdAllocator,
  type IdAllocator,
  type SqlExecutor,
} from '@parley/event-store';
import type { BusClient, BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  BUS_CLIENT,
  CLOCK,
  CommandHandler,
  createResourceCommands,
  QueryHandler,
  READ_POOL,
  type RunResourceCommand,
  textReply,
} from '@parley/service-kit';
import { standingOf } from '../views/campaigns/campaigns-view.ts';
import { createCampaignLists } from '../views/campaigns/list-campaigns.ts';
import { type Campaign, campaign, campaignCategory, campaignStream, living } from './campaign.ts';
import { type CampaignLookups, createCampaignLookups } from './campaign-lookups.ts';
import { createCampaign } from './create-campaign.ts';
import { deleteCampaign } from './delete-campaign.ts';
import { updateCampaign, wantedCampaign } from './update-campaign.ts';
import { updateCampaignStatus } from './update-campaign-status.ts';

@Controller()
export class CampaignController {
  readonly #run: RunResourceCommand<Campaign, CampaignEvent>;
  readonly #clock: Clock;
  readonly #sql: SqlExecutor;
  readonly #ids: IdAllocator;
  readonly #lookups: CampaignLookups;
  readonly #list: ReturnType<typeof createCampaignLists>;

  constructor(
    aggregates: Aggregates,
    @Inject(BUS_CLIENT) bus: BusClient,
    @Inject(CLOCK) clock: Clock,
    @Inject(READ_POOL) sql: SqlExecutor,
  ) {
    this.#run = createResourceCommands(aggregates, {
      category: campaignCategory,
      streamOf: campaignStream,
      fold: campaign,
    });
    this.#clock = clock;
    this.#sql = sql;
    this.#ids = createIdAllocator(sql, 'campaign_ids');
    this.#lookups = createCampaignLookups(aggregates, bus);
    this.#list = createCampaignLists(sql);
  }

  @CommandHandler(createCampaignOperation)
  async create(
    @Payload() input: OperationInput<typeof createCampaignOperation>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const [id, now, found] = await Promise.all([
      this.#ids.next(),
      this.#clock.now(),
      this.#lookups.find(input, message),
    ]);
    return this.#run(id, message, (state) => createCampaign(state, { ...input, ...found, id, now }), {
      isNew: true,
    });
  }

  @CommandHandler(updateOperation)
  async update(
    @Payload() { id, ...change }: OperationInput<typeof updateOperation>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const [now, standing] = await Promise.all([this.#clock.now(), standingOf(this.#sql, id)]);
    const { correlationId } = message;
    return this.#run(id, message, async (state) => {
      const present = living(state);
      if (!present) return reject('not_found');
      const { settings } = present;
      const found = await this.#lookups.find(wantedCampaign(settings, change), message, settings);
      return updateCampaign(state, { change, found, now, ...standing, correlationId });
    });
  }

  @CommandHandler(deletion)
  async remove(
    @Payload() { id }: OperationInput<typeof deletion>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const [now, { leadsCount }] = await Promise.all([this.#clock.now(), standingOf(this.#sql, id)]);
    return this.#run(id, message, (state) => deleteCampaign(state, { now, leadsCount }));
  }

  @CommandHandler(updateStatusOperation)
  async updateStatus(
    @Payload() { campaign_id: id, action }: OperationInput<typeof updateStatusOperation>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const [now, { leadsCount, heldUp }] = await Promise.all([this.#clock.now(), standingOf(this.#sql, id)]);
    const { correlationId } = message;
    const command = { action, now, leadsCount, isHeldUp: heldUp !== null, correlationId };
    return this.#run(id, message, (state) => updateCampaignStatus(state, command));
  }

  @QueryHandler(listCampaigns)
  async list(
    @Payload() { page, per_page: perPage }: OperationInput<typeof listCampaigns>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return textReply(await this.#list({ accountId: accountOf(message), page, perPage }));
  }
}
