import {
  LeadAttemptEnded,
  LeadAttemptWithdrawn,
  LeadDeleted,
  type LeadEvent,
  LeadQueued,
} from '@parley/contracts';
import type { Aggregates, Clock } from '@parley/event-store';
import { appendAtTimer, type TimerHandler } from '@parley/processing';
import type { StandingTimers } from '@parley/service-kit';
import { z } from 'zod';
import { lead, leadCategory } from '../../lead/lead.ts';

/** The kind of the timer of each lead whose attempt was under way when its account left another installation. */
export const importedAttemptKind = 'imported-attempt';

/**
 * Leaves the rest of the account time to arrive: an interrupted import can continue only while nothing else happened.
 */
const graceMs = 60_000;

const payloadSchema = z.object({ stream_id: z.string(), attempt: z.int() });

/** The timers of imported attempts under way; what they do belongs to the trace of the attempt. */
export const importedAttempts: StandingTimers = {
  types: [LeadQueued.type],
  endedBy: [LeadAttemptEnded.type, LeadAttemptWithdrawn.type, LeadDeleted.type],
  of({ data, eventId, metadata: { correlationId, imported }, streamId }) {
    // An attempt that was queued in this installation goes on by itself.
    if (!imported) return [];
    const { attempt } = LeadQueued.data.parse(data);
    const about = { stream_id: streamId, attempt, correlation_id: correlationId, causation_id: eventId };
    return [
      {
        id: `${importedAttemptKind}:${streamId}`,
        kind: importedAttemptKind,
        due: { afterMs: graceMs },
        payload: about,
      },
    ];
  },
};

/**
 * Ends an imported attempt as failed, and reaches out to nobody else for its lead: nobody here knows what came of it,
 * and somebody may have been reached.
 */
export const endImportedAttempts =
  (aggregates: Aggregates, clock: Clock): TimerHandler =>
  async ({ payload }, { metadata }) => {
    const { stream_id: streamId, attempt } = payloadSchema.parse(payload);
    const { state, version: expectedVersion, accountId } = await aggregates.load(streamId, lead);
    if (state?.attempt?.number !== attempt) return undefined;
    const ended: LeadEvent = {
      type: 'LeadAttemptEnded',
      data: {
        campaign_id: state.campaignId,
        attempt,
        contact_id: state.attempt.contactId,
        at: (await clock.now()).toISOString(),
        outcome: 'failed',
        reason: 'The account came from another installation meanwhile: what came of it is not known here.',
        next: null,
      },
    };
    return appendAtTimer(
      { streamId, category: leadCategory, accountId, expectedVersion, metadata },
      { events: [ended] },
    );
  };
