import { type LeadEvent, rejections, subjectOf } from '@parley/contracts';
import type { Aggregates, AppendRequest, Clock } from '@parley/event-store';
import {
  type Ask,
  type BusRejection,
  type BusReply,
  internalContext,
  isUnanswered,
  RequestTooLarge,
  ServiceUnavailable,
} from '@parley/message-bus';
import {
  backoffMs,
  byAccount,
  decidedWithOrigin,
  defineReactor,
  pause,
  type Reactor,
  type ReactorContext,
} from '@parley/processing';
import { type BackgroundParts, isStandIn } from '@parley/service-kit';
import { type Channel, campaign, campaignStream } from '../../campaign/campaign.ts';
import { lead, leadCategory, numberOf } from '../../lead/lead.ts';
import { commandIdOf } from './attempt-command.ts';
import {
  attemptCompleted,
  attemptRefused,
  attemptStarted,
  attemptWithdrawn,
  type QueuedAttempt,
  type QueuedEvent,
  staysUnknown,
} from './attempt-events.ts';
import { lateAnswerTimer } from './late-answers.ts';
import { outreachOf } from './messages.ts';
import { obstacleTo } from './obstacle.ts';
import { requestJson } from './request-json.ts';

export interface OutreachParts {
  readonly aggregates: Aggregates;
  readonly ask: Ask;
  readonly clock: Clock;
  readonly logger: BackgroundParts['logger'];
}

const timeoutMs = 10_000;
const firstWaitMs = 250;
const longestWaitMs = 5_000;

/**
 * Asks a channel's service for the attempts that campaigns have queued. While the service is away it waits, quietly and
 * for as long as it takes. An attempt is withdrawn when its campaign is stopped meanwhile, its window closes, or its
 * lead cannot be reached at present, so that no other lead waits for that. Accounts do not wait for each other.
 */
export const reachOut = (channel: Channel, parts: OutreachParts): Reactor =>
  defineReactor<QueuedEvent>({
    name: `campaign-${channel}`,
    handles: ['LeadQueued'],
    // A repeated event does no harm: the command id has its answer, and the append is fenced by the lead's version.
    laneOf: byAccount,
    async react(event, context) {
      return event.data.channel === channel ? carryOut(event, context, parts) : undefined;
    },
  });

async function carryOut(
  event: QueuedEvent,
  { metadata, signal }: ReactorContext,
  parts: OutreachParts,
): Promise<AppendRequest | undefined> {
  const { aggregates, clock, logger } = parts;
  for (let tries = 0; ; tries += 1) {
    const { state, version } = await aggregates.load(event.streamId, lead);
    // The lead was deleted, or the attempt has ended or started already.
    if (state?.attempt?.number !== event.data.attempt || state.attempt.reference !== null) return undefined;
    const owning = await aggregates.load(campaignStream(event.data.campaign_id), campaign);
    if (!owning.state) return undefined;
    const { settings, isRunning } = owning.state;
    const attempt = { event, lead: state, settings, now: await clock.now() };
    const append = (events: readonly LeadEvent[]): AppendRequest => ({
      streamId: event.streamId,
      category: leadCategory,
      accountId: event.accountId,
      events,
      expectedVersion: version,
      metadata,
    });
    const obstacle = obstacleTo(attempt, isRunning);
    if (obstacle !== undefined) return append(attemptWithdrawn(attempt, obstacle));
    const reply = await request(parts, attempt);
    if (reply?.kind === 'ok') return append(attemptTaken(attempt, reply.body));
    if (reply)
      return decidedWithOrigin(
        {
          ...append(attemptRefused(attempt, reply.rejection)),
          ...(staysUnknown(attempt, reply.rejection) && { timers: [lateAnswerTimer(event, attempt.now)] }),
        },
        event.accountId,
        metadata,
      );
    if (tries === 0)
      logger.info(
        { service: outreachOf[event.data.channel].message.service },
        'campaigns wait for a service',
      );
    await pause(backoffMs(tries + 1, firstWaitMs, longestWaitMs), signal);
    // Whichever process takes over begins with the same event.
    if (signal.aborted) throw new ServiceUnavailable('Another process goes on with this.');
  }
}

/**
 * Events of an attempt that the service has taken. The answer holds its reference; where it does not end the attempt,
 * an event does later.
 */
function attemptTaken(attempt: QueuedAttempt, answer: string): LeadEvent[] {
  const { endsWithAnswer, referenceOf } = outreachOf[attempt.event.data.channel];
  const reference = referenceOf(JSON.parse(answer));
  return endsWithAnswer ? attemptCompleted(attempt, reference) : attemptStarted(attempt, reference);
}

/** Makes the request of an attempt. Undefined when the service gave no answer: the same request may be made again. */
async function request(
  { ask, logger }: Pick<OutreachParts, 'ask' | 'logger'>,
  attempt: QueuedAttempt,
): Promise<BusReply | undefined> {
  const { event } = attempt;
  const { correlationId, chainDepth } = event.metadata;
  const { message } = outreachOf[event.data.channel];
  const payload = buildRequest(attempt, logger);
  if (typeof payload !== 'string') return { kind: 'rejected', rejection: payload };
  const context = internalContext({
    accountId: event.accountId,
    actor: { kind: 'system', id: 'campaigns' },
    commandId: commandIdOf(event.streamId, event.data.attempt),
    correlationId,
    causationId: event.eventId,
    chainDepth,
    timeoutMs,
  });
  try {
    return await ask({ service: message.service, subject: subjectOf(message), payload, context }, timeoutMs);
  } catch (error) {
    if (isUnanswered(error)) return undefined;
    if (error instanceof RequestTooLarge) return { kind: 'rejected', rejection: tooLarge };
    throw error;
  }
}

const tooLarge: BusRejection = { code: 'payload_too_large' };
/** The person was erased while the attempt waited: nobody is reached by the stand-in for their number. */
const erased: BusRejection = { code: 'invalid', message: 'This person was erased.' };
/** Nobody was asked, so this is about the lead, unlike the `internal` of a service. */
const unbuildable: BusRejection = { code: 'invalid', message: rejections.internal.message };

/** The request as JSON, or why it cannot be built: trying again would not help, and others must not wait for it. */
function buildRequest(
  { event, lead, settings, now }: QueuedAttempt,
  logger: OutreachParts['logger'],
): string | BusRejection {
  const { channel, contact_id } = event.data;
  if (isStandIn(numberOf(lead, contact_id))) return erased;
  try {
    return requestJson(outreachOf[channel].input(lead, contact_id, settings, now)) ?? tooLarge;
  } catch (error) {
    logger.error({ err: error, lead: lead.id }, 'a campaign could not build its request');
    return unbuildable;
  }
}
