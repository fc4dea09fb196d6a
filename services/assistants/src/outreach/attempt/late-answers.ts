import { campaignChannels, type LeadEvent } from '@parley/contracts';
import type { Aggregates, Clock, TimerRequest } from '@parley/event-store';
import type { BusClient } from '@parley/message-bus';
import { appendAtTimer, silenceMs, type TimerHandler } from '@parley/processing';
import { asService, lookUp } from '@parley/service-kit';
import { z } from 'zod';
import { lead, leadCategory } from '../../lead/lead.ts';
import { commandIdOf } from './attempt-command.ts';
import type { QueuedEvent } from './attempt-events.ts';
import { lateAnswerKind, lateAnswerTimerId } from './late-answer-timer.ts';
import { outreachOf } from './messages.ts';

/** How often the provider's answer is asked for, for as long as providers may still tell (`silenceMs`). */
const intervalMs = 60 * 60_000;

const payloadSchema = z.object({
  stream_id: z.string(),
  attempt: z.int(),
  channel: z.enum(campaignChannels),
  /** Until when providers may still tell, ISO 8601. */
  until: z.string(),
});

const timerOf = (payload: z.output<typeof payloadSchema>): TimerRequest => ({
  id: lateAnswerTimerId(payload.stream_id),
  kind: lateAnswerKind,
  due: { afterMs: intervalMs },
  payload,
});

/** The timer of an attempt that ends as failed because nobody knows whether its message was sent. */
export const lateAnswerTimer = ({ data, streamId }: QueuedEvent, now: Date): TimerRequest =>
  timerOf({
    stream_id: streamId,
    attempt: data.attempt,
    channel: data.channel,
    until: new Date(now.getTime() + silenceMs).toISOString(),
  });

/**
 * Asks whether the provider has told meanwhile that the message was sent; if so, the lead counts as reached after all.
 * Asking sends nothing.
 */
export const askForLateAnswer =
  (aggregates: Aggregates, bus: BusClient, clock: Clock): TimerHandler =>
  async (timer, { metadata }) => {
    const payload = payloadSchema.parse(timer.payload);
    const { stream_id: streamId, attempt, channel, until } = payload;
    const { state, version: expectedVersion, accountId } = await aggregates.load(streamId, lead);
    const { findSent } = outreachOf[channel];
    if (!state || !findSent) return undefined;
    const question = { command_id: commandIdOf(streamId, attempt) };
    const context = asService('assistants', accountId, metadata.correlationId);
    const found = await lookUp(bus, findSent, question, context);
    const now = (await clock.now()).toISOString();
    const stream = { streamId, category: leadCategory, accountId, expectedVersion, metadata };
    if (!found)
      return now < until ? appendAtTimer(stream, { events: [], timers: [timerOf(payload)] }) : undefined;
    const corrected: LeadEvent = {
      type: 'LeadAttemptCorrected',
      data: {
        campaign_id: state.campaignId,
        attempt,
        contact_id: state.tried.contactId,
        at: now,
        reference: found.reference,
      },
    };
    return appendAtTimer(stream, { events: [corrected] });
  };
