import { setTimeout as sleep } from 'node:timers/promises';
import { type LeadEvent, rejections, subjectOf } from '@parley/contracts';
import type { Aggregates, AppendRequest, Clock, RecordedEvent } from '@parley/event-store';
import {
  type BusClient,
  type BusRejection,
  type BusReply,
  internalContext,
  isUnanswered,
  RequestTooLarge,
  ServiceUnavailable,
} from '@parley/message-bus';
import {
  byAccount,
  decidedWithOrigin,
  defineReactor,
  type Reactor,
  type ReactorContext,
} from '@parley/processing';
import type { BackgroundParts } from '@parley/service-kit';
import { type CampaignSettings, type Channel, campaign, campaignStream } from '../campaign/campaign.ts';
import { type Lead, lead, leadStream } from '../lead/lead.ts';
import { commandIdOf } from './attempt-command.ts';
import { heldUpSeconds } from './hold-ups.ts';
import { lateAnswerTimer } from './late-answers.ts';
import { outreachOf } from './messages.ts';
import { requestJson } from './request-json.ts';
import { whatComesNext } from './what-comes-next.ts';
import { isOpenAt } from './windows.ts';

type Queued = RecordedEvent & Extract<LeadEvent, { type: 'LeadQueued' }>;
type LiveLead = NonNullable<Lead>;

export interface OutreachParts {
  readonly aggregates: Aggregates;
  readonly bus: BusClient;
  readonly clock: Clock;
  readonly logger: BackgroundParts['logger'];
}

const timeoutMs = 10_000;
const longestWaitMs = 5_000;

/**
 * Asks the channel's service for what the campaigns have queued. While the service is not there it waits, quietly and
 * for as long as it takes; a campaign that is stopped meanwhile, or whose window closes, takes its leads back. So does
 * one whose lead cannot be reached at present: nobody else waits for that. Accounts do not wait for each other.
 */
export const reachOut = (channel: Channel, parts: OutreachParts): Reactor =>
  defineReactor({
    name: `campaign-${channel}`,
    handles: ['LeadQueued'],
    // An attempt that comes again has its answer, by its command's id, and its lead's version.
    laneOf: byAccount,
    async react(event, context) {
      // `handles` leaves no other events.
      const queued = event as Queued;
      return queued.data.channel === channel ? attempt(queued, context, parts) : undefined;
    },
  });

async function attempt(
  event: Queued,
  context: ReactorContext,
  parts: OutreachParts,
): Promise<AppendRequest | undefined> {
  const { aggregates, clock, logger } = parts;
  const { message, endsWithAnswer, referenceOf } = outreachOf[event.data.channel];
  for (let tries = 0; ; tries += 1) {
    const loaded = await aggregates.load(event.streamId, lead);
    // Deleted, ended, or begun already.
    if (loaded.state?.attempt?.number !== event.data.attempt || loaded.state.attempt.reference !== null)
      return undefined;
    const { state } = await aggregates.load(campaignStream(event.data.campaign_id), campaign);
    if (!state) return undefined;
    const now = await clock.now();
    const outcome = new AttemptOutcome(event, loaded.state, state.settings, now);
    const append = (events: readonly LeadEvent[]): AppendRequest => ({
      streamId: leadStream(loaded.state?.id ?? 0),
      category: 'lead',
      accountId: event.accountId,
      events,
      expectedVersion: loaded.version,
      metadata: context.metadata,
    });
    if (!state.isRunning) return append(outcome.withdrawn('The campaign was stopped.', 0));
    if (!isOpenAt(state.settings, now)) return append(outcome.withdrawn('The window has closed.', 0));
    if (loaded.state.attempt.isOutdated) return append(outcome.withdrawn('The phone number was changed.', 0));
    const reply = await ask(parts, event, loaded.state, state.settings);
    if (reply?.kind === 'ok') {
      const reference = referenceOf(JSON.parse(reply.body));
      return append(endsWithAnswer ? outcome.completed(reference) : outcome.started(reference));
    }
    if (reply)
      return decidedWithOrigin(
        {
          ...append(outcome.refused(reply.rejection)),
          ...(outcome.isUntold(reply.rejection) && { timers: [lateAnswerTimer(event, now)] }),
        },
        event.accountId,
        context.metadata,
      );
    if (tries === 0) logger.info({ service: message.service }, 'campaigns wait for a service');
    await pause(Math.min(longestWaitMs, 250 * 2 ** Math.min(tries, 10)), context.signal);
  }
}

/** The answer; undefined when there was none, and the same can be asked again. */
async function ask(
  parts: Pick<OutreachParts, 'bus' | 'logger'>,
  event: Queued,
  lead: LiveLead,
  settings: CampaignSettings,
): Promise<BusReply | undefined> {
  const { message } = outreachOf[event.data.channel];
  const request = buildRequest(event, lead, settings, parts.logger);
  if (typeof request !== 'string') return { kind: 'rejected', rejection: request };
  try {
    return await parts.bus.request({
      service: message.service,
      subject: subjectOf(message),
      payload: request,
      context: internalContext({
        accountId: event.accountId,
        actor: { kind: 'system', id: 'campaigns' },
        commandId: commandIdOf(event.streamId, event.data.attempt),
        correlationId: event.metadata.correlationId,
        causationId: event.eventId,
        timeoutMs,
      }),
    });
  } catch (error) {
    if (isUnanswered(error)) return undefined;
    if (error instanceof RequestTooLarge) return { kind: 'rejected', rejection: tooLarge };
    throw error;
  }
}

const tooLarge: BusRejection = { code: 'payload_too_large' };

/** What is asked for, or why that cannot be said: no other try would build it, and nobody else waits for that. */
function buildRequest(
  { data: { channel, contact_id } }: Queued,
  lead: LiveLead,
  settings: CampaignSettings,
  logger: OutreachParts['logger'],
): string | BusRejection {
  try {
    return requestJson(outreachOf[channel].input(lead, contact_id, settings)) ?? tooLarge;
  } catch (error) {
    logger.error({ err: error, lead: lead.id }, 'a campaign could not build its request');
    return { code: 'internal' };
  }
}

const temporaryCodes = new Set(['unavailable', 'timeout', 'contended', 'idempotency_in_progress']);

/**
 * How long an attempt of unknown outcome is asked about again. Providers that tell do so within minutes; after this
 * the lead fails, unless it turns out later (`late-answers.ts`).
 */
const toldWithinMs = 15 * 60_000;

/** Rejects when the work is to stop: whoever takes over begins with the same event. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
  if (signal.aborted) throw new ServiceUnavailable('Another process goes on with this.');
}

/** The events that an attempt's answer comes to. */
class AttemptOutcome {
  readonly #about: Pick<Queued['data'], 'campaign_id' | 'attempt' | 'contact_id'> & { readonly at: string };
  readonly #lead: LiveLead;
  readonly #settings: CampaignSettings;
  readonly #now: Date;

  constructor({ data }: Queued, lead: LiveLead, settings: CampaignSettings, now: Date) {
    const { campaign_id, attempt, contact_id } = data;
    this.#about = { campaign_id, attempt, contact_id, at: now.toISOString() };
    this.#lead = lead;
    this.#settings = settings;
    this.#now = now;
  }

  started(reference: string): LeadEvent[] {
    return [{ type: 'LeadAttemptStarted', data: { ...this.#about, reference } }];
  }

  completed(reference: string): LeadEvent[] {
    const ended = { ...this.#about, outcome: 'completed', reason: null, next: null } as const;
    return [...this.started(reference), { type: 'LeadAttemptEnded', data: ended }];
  }

  withdrawn(reason: string, afterSeconds: number): LeadEvent[] {
    const dueAt = new Date(this.#now.getTime() + afterSeconds * 1000).toISOString();
    return [{ type: 'LeadAttemptWithdrawn', data: { ...this.#about, reason, due_at: dueAt } }];
  }

  refused(rejection: BusRejection): LeadEvent[] {
    const reason = reasonOf(rejection);
    // The leads of others do not wait for that. It may have been done all the same.
    const mayYetBeTold = isUnknown(rejection) && !this.isUntold(rejection);
    if (temporaryCodes.has(rejection.code) || mayYetBeTold) return this.withdrawn(reason, 0);
    const afterSeconds = rejection.retryAfterSeconds ?? heldUpSeconds(rejection);
    // Due at once would mean that it may have been asked for, and keeps its number.
    if (afterSeconds !== undefined) return this.withdrawn(reason, Math.max(1, afterSeconds));
    const next = whatComesNext(this.#lead, 'failed', this.#settings.retries, this.#now);
    return [{ type: 'LeadAttemptEnded', data: { ...this.#about, outcome: 'failed', reason, next } }];
  }

  /** Nobody knows of it, and the lead waits no longer for that. */
  isUntold(rejection: BusRejection): boolean {
    return isUnknown(rejection) && this.#now.getTime() - Date.parse(this.#lead.attemptSince) >= toldWithinMs;
  }
}

const isUnknown = ({ details }: BusRejection): boolean => details?.outcome === 'unknown';

/** What is said of its fields says it all, unless it has words of its own. */
function reasonOf({ code, message, fields }: BusRejection): string {
  const ofFields = Object.values(fields ?? {}).flat();
  const usual = ofFields.length > 0 ? [] : [usualMessages.get(code) ?? code];
  const said = message === undefined ? usual : [message];
  // It may be cut off in the midst of a character, which nothing can be put on record with.
  return [...said, ...ofFields].join(' ').slice(0, 500).toWellFormed();
}

const usualMessages: ReadonlyMap<string, string> = new Map(
  Object.entries(rejections).map(([code, { message }]) => [code, message]),
);
