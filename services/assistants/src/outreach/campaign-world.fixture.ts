import type { CallEndedEvent, CampaignEvent, Rejection } from '@parley/contracts';
import {
  Aggregates,
  type AppendRequest,
  createInMemoryEventStore,
  type Decision,
  type NewEvent,
  type RecordedEvent,
  type SqlExecutor,
} from '@parley/event-store';
import type { BusRejection, BusReply, BusRequest } from '@parley/message-bus';
import { isOpenAt } from '@parley/opening-hours';
import type { Reactor } from '@parley/processing';
import { golden, testMetadata } from '@parley/testing';
import { campaign, campaignStream, living } from '../campaign/campaign.ts';
import { deleteCampaign } from '../campaign/delete-campaign.ts';
import { type CampaignChange, updateCampaign } from '../campaign/update-campaign.ts';
import { updateCampaignStatus } from '../campaign/update-campaign-status.ts';
import { deleteLead } from '../lead/delete-lead.ts';
import { lead, leadStream, type Variables } from '../lead/lead.ts';
import { reopenLead } from '../lead/reopen-lead.ts';
import { leadChanges, type RecordedLeadEvent } from '../views/leads/lead-changes.ts';
import { reachOut } from './attempt/reach-out.ts';
import { followCalls } from './outcomes/follow-calls.ts';
import { failuresByCampaign } from './pacing/failed-calls.ts';
import { withdrawalsByCampaign } from './pacing/lead-withdrawals.ts';
import { paceCampaigns } from './pacing/pace-campaigns.ts';
import { paceTimerId } from './pacing/pace-timer.ts';
import { wakeCampaigns } from './pacing/wake-campaigns.ts';

const accountId = 3;
const campaignId = 5;
const [created] = golden<CampaignEvent>('CampaignCreated.v1');
if (created?.type !== 'CampaignCreated') throw new Error('The golden file holds a campaign.');
const settings = {
  ...created.data,
  retries: { max_attempts: 2, delay_minutes: 60 },
};

/**
 * What telephony does with what it is asked. `lost`: it places the call, and its answer does not come; `broken`: it fails
 * unexpectedly, `breaking` after it has placed the call.
 */
export type Mood = 'ready' | 'away' | 'lost' | 'no' | 'later' | 'broken' | 'breaking';

export interface PlacedCall {
  readonly id: number;
  readonly commandId: string;
  readonly leadId: number;
  readonly phone: string;
  readonly isWelcome: boolean;
  status: CallEndedEvent['data']['status'] | 'not_placed' | null;
}

/** One call campaign, its leads, and a telephony that counts; the clock is moved by hand. */
export class CampaignWorld {
  now = Date.parse('2026-03-24T10:00:00Z');
  mood: Mood = 'ready';
  /** What telephony says in the mood `no`; an error where it is not asked, or gives no answer. */
  refusal: BusRejection | Error = { code: 'invalid' };
  /** Aborted when the process is to end. */
  closing = new AbortController().signal;
  readonly calls: PlacedCall[] = [];
  readonly store = createInMemoryEventStore({ now: () => new Date(this.now) });
  readonly #aggregates = new Aggregates(this.store);
  readonly #ended: PlacedCall[] = [];
  readonly #toldAsPutOff = new Set<PlacedCall>();
  readonly #seen = new Map<Reactor, number>();
  readonly #reach: Reactor;
  readonly #wake: Reactor;
  readonly #follow: Reactor;
  #numbers = 0;
  leads = 0;

  constructor() {
    const clock = { now: async () => new Date(this.now) };
    const ask = (request: BusRequest) => this.#answer(request);
    const aggregates = this.#aggregates;
    this.#reach = reachOut('call', { aggregates, ask, clock, logger: console as never });
    this.#wake = wakeCampaigns(aggregates);
    this.#follow = followCalls({ aggregates, clock, source: undefined as never });
  }

  async begin(more: Partial<typeof settings> = {}): Promise<void> {
    const data = { ...settings, ...more };
    await this.#append(campaignStream(campaignId), 'campaign', [{ type: 'CampaignCreated', data }]);
  }

  async addLead(contacts: number, variables: Variables = {}): Promise<void> {
    this.leads += 1;
    const id = this.leads;
    const secondary_contacts = Array.from({ length: contacts }, (_, index) => ({
      id: 1_000 + id * 10 + index,
      phone_number: this.#phone(),
      variables: {},
    }));
    const data = {
      ...{ id, campaign_id: campaignId, phone_number: this.#phone(), variables },
      ...{ secondary_contacts, imported: null, at: this.#at() },
    };
    await this.#append(leadStream(id), 'lead', [{ type: 'LeadCreated', data }]);
  }

  async tell(action: 'start' | 'stop'): Promise<void> {
    const { state } = await this.#aggregates.load(campaignStream(campaignId), campaign);
    const decision = updateCampaignStatus(state, {
      action,
      now: new Date(this.now),
      leadsCount: 0,
      isHeldUp: false,
      correlationId: 'c',
    });
    await this.#decided(decision);
  }

  async change(change: Pick<CampaignChange, 'windows' | 'retries'>): Promise<void> {
    const { state } = await this.#aggregates.load(campaignStream(campaignId), campaign);
    const found = { assistant: { type: 'outbound', timezone: 'UTC' }, template: 'ok' } as const;
    const standing = { leadsCount: 0, heldUp: null };
    const about = { ...standing, found, now: new Date(this.now), correlationId: 'c' };
    await this.#decided(updateCampaign(state, { ...about, change }));
  }

  async deleteCampaign(): Promise<void> {
    const { state } = await this.#aggregates.load(campaignStream(campaignId), campaign);
    await this.#decided(deleteCampaign(state, { now: new Date(this.now), leadsCount: this.leads }));
  }

  async isDeleted(): Promise<boolean> {
    return living((await this.#aggregates.load(campaignStream(campaignId), campaign)).state) === null;
  }

  async changeNumber(id: number, phone_number = this.#phone()): Promise<void> {
    if (!(await this.lead(id))) return;
    const data = { phone_number, variables: null, at: this.#at() };
    await this.#append(leadStream(id), 'lead', [{ type: 'LeadPhoneNumberChanged', data }]);
  }

  /** With another number, whose calls are counted from the first. */
  async reopen(id: number): Promise<void> {
    await this.changeNumber(id);
    const about = { now: new Date(this.now), campaign: { id: campaignId, name: '' } };
    const decision = reopenLead(await this.lead(id), about);
    if (!('code' in decision)) await this.#append(leadStream(id), 'lead', decision.events);
  }

  async delete(id: number): Promise<void> {
    const decision = deleteLead(await this.lead(id), { now: new Date(this.now) });
    if (!('code' in decision)) await this.#append(leadStream(id), 'lead', decision.events);
  }

  async lead(id: number) {
    return (await this.#aggregates.load(leadStream(id), lead)).state;
  }

  /** The campaign's timer, when it is due. */
  async pace(): Promise<void> {
    const timer = this.store.timers().find(({ id }) => id === paceTimerId(campaignId));
    if (!timer || Date.parse(timer.dueAt) > this.now) return;
    const sql = { query: async () => ({ rows: [await this.#queue()] }) } as unknown as SqlExecutor;
    const request = await paceCampaigns(this.#aggregates, sql)(timer, {
      store: this.store,
      metadata: testMetadata,
    });
    if (request) await this.store.append({ ...request, firesTimer: timer });
  }

  /** The next of what is queued is asked for. A process that dies does so before the outcome is on record. */
  async reach(dies = false): Promise<void> {
    await this.#react(this.#reach, dies);
  }

  async wake(): Promise<void> {
    for (let before = -1; before !== this.#seen.get(this.#wake); ) {
      before = this.#seen.get(this.#wake) ?? 0;
      await this.#react(this.#wake);
    }
  }

  end(index: number, status: CallEndedEvent['data']['status']): void {
    const open = this.calls.filter((call) => call.status === null);
    const call = open[index % Math.max(1, open.length)];
    if (!call) return;
    call.status = status;
    this.#ended.push(call);
  }

  /** The voice platform was not there for the call: it is told as not placed, and then as over. */
  putOff(index: number): void {
    const open = this.calls.filter((call) => call.status === null);
    const call = open[index % Math.max(1, open.length)];
    if (!call) return;
    call.status = 'not_placed';
    this.#ended.push(call);
  }

  /** The next thing that telephony says of the call that ended first is heard. */
  async hear(): Promise<void> {
    const [call] = this.#ended;
    if (!call) return;
    const [ended] = golden<CallEndedEvent>('CallEnded.v1');
    const { id: call_id, leadId: lead_id, phone: customer_phone, commandId } = call;
    if (call.status === 'not_placed' && !this.#toldAsPutOff.has(call)) {
      const data = { call_id, lead_id, reason: 'away', may_pass_later: true };
      const metadata = { ...testMetadata, commandId };
      await this.#once(this.#follow, { type: 'CallNotPlaced', accountId, data, metadata } as never);
      this.#toldAsPutOff.add(call);
      return;
    }
    const status = call.status === 'not_placed' ? 'failed' : call.status;
    const about = { call_id, status, customer_phone, lead_id, campaign_id: campaignId };
    const event = { accountId, data: { ...ended?.data, ...about } } as unknown as RecordedEvent;
    await this.#once(this.#follow, event);
    this.#ended.shift();
  }

  /** Leads as the view has them. */
  async rows() {
    return leadChanges(await this.#events()).filter(({ isDeleted }) => !isDeleted);
  }

  async history(id: number): Promise<readonly RecordedLeadEvent[]> {
    return (await this.#events()).filter(({ streamId }) => streamId === leadStream(id));
  }

  async #events(): Promise<readonly RecordedLeadEvent[]> {
    const events = await this.#log();
    return events.filter(({ category }) => category === 'lead') as unknown as RecordedLeadEvent[];
  }

  #log() {
    return this.store.readAll({ after: 0, limit: 100_000 });
  }

  async #queue() {
    const events = await this.#events();
    const queued = events.findLast(({ type }) => type === 'LeadQueued');
    const withdrawn = withdrawalsByCampaign(events).get(campaignId);
    const failures = failuresByCampaign(await this.#log()).get(campaignId);
    const rows = await this.rows();
    const [next] = rows
      .flatMap(({ id, waitsFrom }) => (waitsFrom ? [{ id, waitsFrom }] : []))
      .sort((a, b) => Date.parse(a.waitsFrom) - Date.parse(b.waitsFrom) || a.id - b.id);
    return {
      now: new Date(this.now),
      last_queued_at: queued ? new Date(queued.recordedAt) : null,
      last_withdrawn_at: withdrawn?.at ? new Date(withdrawn.at) : null,
      withdrawn_until: withdrawn?.until ? new Date(withdrawn.until) : null,
      withdrawn_in_a_row: withdrawn?.inARow ?? 0,
      failing_in_a_row: Math.max(failures?.failed.inARow ?? 0, failures?.unreported.inARow ?? 0),
      in_flight: rows.filter(({ isInFlight }) => isInFlight).length,
      lead_id: next?.id ?? null,
      due_at: next ? new Date(next.waitsFrom) : null,
    };
  }

  async #react(reactor: Reactor, dies = false): Promise<void> {
    const after = this.#seen.get(reactor) ?? 0;
    const [event] = await this.store.readAll({ after, limit: 1, types: reactor.handles });
    if (!event) return;
    await this.#once(reactor, event, dies);
    if (!dies) this.#seen.set(reactor, event.position);
  }

  async #once(reactor: Reactor, event: RecordedEvent, dies = false): Promise<void> {
    const context = { store: this.store, attempt: 1, metadata: testMetadata, effectId: () => event.eventId };
    for (;;) {
      const request = await reactor.react(event, { ...context, signal: this.closing });
      if (!request || dies) return;
      const { kind } = await this.store.append(request);
      if (kind === 'appended') return;
      if (kind !== 'conflict') throw new Error(kind);
    }
  }

  async #answer({ payload, context }: BusRequest): Promise<BusReply> {
    const no = (code: string, more: object = {}): BusReply => ({
      kind: 'rejected',
      rejection: { code, ...more },
    });
    if (this.mood === 'away') return no('unavailable', { retryAfterSeconds: 1 });
    const commandId = String(context.commandId);
    const known = this.calls.find((call) => call.commandId === commandId);
    if (!known && this.mood === 'no') {
      if (this.refusal instanceof Error) throw this.refusal;
      return { kind: 'rejected', rejection: this.refusal };
    }
    if (!known && this.mood === 'broken') return no('internal');
    if (!known && this.mood === 'later') return no('messaging_limit_reached');
    const { lead_id: leadId, phone_number: phone } = JSON.parse(String(payload));
    const isWelcome = await this.#mayBeCalled(leadId, phone);
    const call = known ?? { id: this.calls.length + 1, commandId, leadId, phone, isWelcome, status: null };
    if (!known) this.calls.push(call);
    if (this.mood === 'lost') return no('timeout');
    if (!known && this.mood === 'breaking') return no('internal');
    return { kind: 'ok', body: JSON.stringify({ reference: String(call.id) }), position: 1 };
  }

  /** By the campaign as it is now, and as many times as it wanted when the attempt was first queued. */
  async #mayBeCalled(leadId: number, phone: string): Promise<boolean> {
    const stream = campaignStream(campaignId);
    const owning = living((await this.#aggregates.load(stream, campaign)).state);
    if (!owning?.isRunning || !isOpenAt(owning.settings, new Date(this.now))) return false;
    const attempt = (await this.lead(leadId))?.attempts;
    const queued = (await this.history(leadId)).find(
      ({ type, data }) => type === 'LeadQueued' && data.attempt === attempt,
    );
    const { state: then } = await this.#aggregates.loadAt(stream, campaign, {
      position: queued?.position ?? 0,
    });
    const earlier = this.calls.filter((call) => call.phone === phone && call.status !== 'not_placed');
    return earlier.length < (then?.settings.retries.max_attempts ?? 0);
  }

  /** Nothing is done to a campaign that was deleted. */
  async #decided(decision: Decision<CampaignEvent, unknown> | Rejection): Promise<void> {
    if ('code' in decision && decision.code === 'not_found') return;
    if ('code' in decision) throw new Error(JSON.stringify(decision));
    const { reply: _, ...request } = decision;
    await this.#append(campaignStream(campaignId), 'campaign', request.events, request);
  }

  #append(
    streamId: string,
    category: string,
    events: readonly NewEvent[],
    more: Partial<AppendRequest> = {},
  ) {
    return this.store.append({
      streamId,
      category,
      accountId,
      expectedVersion: 'any',
      metadata: testMetadata,
      ...more,
      events,
    });
  }

  #at = () => new Date(this.now).toISOString();
  #phone(): string {
    this.#numbers += 1;
    return `+1415555${1000 + this.#numbers}`;
  }
}
