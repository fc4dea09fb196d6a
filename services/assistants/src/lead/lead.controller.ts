import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  createLead as createLeadOperation,
  deleteLead as deleteLeadOperation,
  findLead,
  type LeadEvent,
  listLeads,
  type OperationInput,
  type Rejection,
  reject,
  reopenLead as reopenLeadOperation,
  updateLead as updateLeadOperation,
} from '@parley/contracts';
import {
  Aggregates,
  type Clock,
  createIdAllocator,
  type Decision,
  type ExecuteResult,
  type IdAllocator,
  type Loaded,
  type SqlExecutor,
} from '@parley/event-store';
import type { BusReply, MessageContext } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  atExpectedVersion,
  CLOCK,
  CommandHandler,
  causeOf,
  jsonReply,
  QueryHandler,
  READ_POOL,
  SubjectKeyPrefetch,
  textReply,
  toReply,
} from '@parley/service-kit';
import type { z } from 'zod';
import {
  type Campaign,
  type CampaignSettings,
  campaign,
  campaignStream,
  living,
} from '../campaign/campaign.ts';
import { createLeadLists, type PageOfLeads } from '../views/leads/list-leads.ts';
import { isNumberInCampaign } from '../views/leads/numbers-in-campaign.ts';
import { findCallParties } from '../webhook-delivery/queueing/call-parties.ts';
import { campaignFor, createLead } from './create-lead.ts';
import { deleteLead } from './delete-lead.ts';
import { type Lead, lead, leadCategory, leadStream } from './lead.ts';
import { withNumberClaimed } from './number-claim.ts';
import { reopenLead } from './reopen-lead.ts';
import { updateLead } from './update-lead.ts';

/** The settings of the account's campaign; undefined when there is none, or it is another account's. */
const settingsFor = (
  accountId: number,
  found: Pick<Loaded<Campaign>, 'accountId' | 'state'>,
): CampaignSettings | undefined =>
  found.accountId === accountId ? living(found.state)?.settings : undefined;

@Controller()
export class LeadController {
  readonly #aggregates: Aggregates;
  readonly #keys: SubjectKeyPrefetch;
  readonly #clock: Clock;
  readonly #sql: SqlExecutor;
  readonly #ids: IdAllocator;
  readonly #list: (page: PageOfLeads) => Promise<string>;

  constructor(
    aggregates: Aggregates,
    keys: SubjectKeyPrefetch,
    @Inject(CLOCK) clock: Clock,
    @Inject(READ_POOL) sql: SqlExecutor,
  ) {
    this.#aggregates = aggregates;
    this.#keys = keys;
    this.#clock = clock;
    this.#sql = sql;
    this.#ids = createIdAllocator(sql, 'lead_ids');
    this.#list = createLeadLists(sql);
  }

  @CommandHandler(createLeadOperation)
  async create(
    @Payload() input: OperationInput<typeof createLeadOperation>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const [id, contactIds, now, campaign] = await Promise.all([
      this.#ids.next(),
      Promise.all((input.secondary_contacts ?? []).map(() => this.#ids.next())),
      this.#clock.now(),
      this.#prepare(input, accountOf(message)),
    ]);
    const number = { campaignId: input.campaign_id, phoneNumber: input.phone_number };
    const claiming = {
      allowsDuplicate: input.allow_dupplicate ?? false,
      isInCampaign: () => isNumberInCampaign(this.#sql, number),
    };
    const result = await withNumberClaimed(claiming, (claim) =>
      this.#execute(
        id,
        message,
        (state) =>
          'code' in campaign
            ? campaign
            : createLead(state, { ...input, id, contactIds, now, campaign, claim }),
        { isNew: true },
      ),
    );
    return toReply(result);
  }

  @QueryHandler(findLead)
  async find(
    @Payload() ids: z.output<typeof findLead.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return jsonReply(await findCallParties(this.#aggregates, accountOf(message), ids));
  }

  @CommandHandler(updateLeadOperation)
  async update(
    @Payload() { id, ...change }: OperationInput<typeof updateLeadOperation>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const [now, campaign] = await Promise.all([this.#clock.now(), this.#campaignOfLead(id, message)]);
    const number = { campaignId: campaign?.id ?? 0, phoneNumber: change.phone_number ?? '' };
    const claiming = {
      allowsDuplicate: false,
      isInCampaign: () => isNumberInCampaign(this.#sql, number),
    };
    const result = await withNumberClaimed(claiming, (claim) =>
      this.#execute(id, message, (state, version) =>
        campaign ? updateLead(state, { ...change, now, campaign, claim }, version) : reject('not_found'),
      ),
    );
    return toReply(result);
  }

  @CommandHandler(reopenLeadOperation)
  async reopen(
    @Payload() { id }: OperationInput<typeof reopenLeadOperation>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const [now, campaign] = await Promise.all([this.#clock.now(), this.#campaignOfLead(id, message)]);
    const result = await this.#execute(id, message, (state) =>
      campaign ? reopenLead(state, { now, campaign }) : reject('not_found'),
    );
    return toReply(result);
  }

  @CommandHandler(deleteLeadOperation)
  async remove(
    @Payload() { id }: OperationInput<typeof deleteLeadOperation>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const [now, campaign] = await Promise.all([this.#clock.now(), this.#campaignOfLead(id, message)]);
    const result = await this.#execute(id, message, (state) =>
      campaign ? deleteLead(state, { now }) : reject('not_found'),
    );
    return toReply(result);
  }

  @QueryHandler(listLeads)
  async list(
    @Payload() { campaign_id: campaignId, status, page, per_page: perPage }: OperationInput<typeof listLeads>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return textReply(await this.#list({ accountId: accountOf(message), campaignId, status, page, perPage }));
  }

  /**
   * The campaign, or why it can have no such lead. The keys of the lead's people are fetched here, outside the
   * decision: while the campaign is looked at anew, and only where it could have the lead when it was looked at last.
   */
  async #prepare(input: OperationInput<typeof createLeadOperation>, accountId: number) {
    const { campaign_id: id } = input;
    const known = await this.#aggregates.recall(campaignStream(id), campaign);
    const fault = campaignFor(input, settingsFor(accountId, known));
    if ('code' in fault) return fault;
    const people = [input, ...(input.secondary_contacts ?? [])];
    const [present] = await Promise.all([
      this.#campaignOf(id, accountId),
      this.#keys.prefetch(
        accountId,
        people.map(({ phone_number }) => phone_number),
      ),
    ]);
    return campaignFor(input, present);
  }

  /** The lead's campaign; undefined when the account has no such lead, or had it in a campaign that was deleted. */
  async #campaignOfLead(id: number, message: MessageContext): Promise<CampaignSettings | undefined> {
    const { state } = await this.#aggregates.load(leadStream(id), lead);
    return state ? this.#campaignOf(state.campaignId, accountOf(message)) : undefined;
  }

  async #campaignOf(id: number, accountId: number): Promise<CampaignSettings | undefined> {
    return settingsFor(accountId, await this.#aggregates.load(campaignStream(id), campaign));
  }

  /**
   * Decides on a lead at the version that the request expects. `isNew`: its id was just allocated, so its stream is not
   * read.
   */
  #execute<Reply>(
    id: number,
    message: MessageContext,
    decide: (state: Lead, version: number) => Decision<LeadEvent, Reply> | Rejection,
    { isNew = false }: { readonly isNew?: boolean } = {},
  ): Promise<ExecuteResult> {
    return this.#aggregates.execute({
      ...causeOf(message),
      streamId: leadStream(id),
      category: leadCategory,
      accountId: accountOf(message),
      fold: lead,
      isNew,
      decide: atExpectedVersion(message, decide),
    });
  }
}
