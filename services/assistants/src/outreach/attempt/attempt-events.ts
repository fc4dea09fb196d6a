import { type LeadEvent, rejections } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import type { BusRejection } from '@parley/message-bus';
import type { CampaignSettings } from '../../campaign/campaign.ts';
import type { LiveLead } from '../../lead/lead.ts';
import { heldUpSeconds } from './hold-ups.ts';
import { whatComesNext } from './what-comes-next.ts';

/** The event by which a campaign has decided on an attempt, which is still to be carried out. */
export type QueuedEvent = RecordedEvent & Extract<LeadEvent, { type: 'LeadQueued' }>;

/** A queued attempt, and what decisions about it need to know. */
export interface QueuedAttempt {
  readonly event: QueuedEvent;
  readonly lead: LiveLead;
  readonly settings: CampaignSettings;
  /** The platform clock. */
  readonly now: Date;
}

/** The channel's service has taken the request; an event tells later what comes of it. */
export const attemptStarted = (attempt: QueuedAttempt, reference: string): LeadEvent[] => [
  { type: 'LeadAttemptStarted', data: { ...aboutOf(attempt), reference } },
];

/** The channel's service has taken the request, and its answer is all there is to it. */
export const attemptCompleted = (attempt: QueuedAttempt, reference: string): LeadEvent[] => [
  ...attemptStarted(attempt, reference),
  {
    type: 'LeadAttemptEnded',
    data: { ...aboutOf(attempt), outcome: 'completed', reason: null, next: null },
  },
];

/**
 * Gives the lead back: it is due again after so long. `isOutcomeUnknown`: somebody may have been reached all the same.
 */
export function attemptWithdrawn(
  attempt: QueuedAttempt,
  reason: string,
  { afterSeconds = 0, isOutcomeUnknown = false } = {},
): LeadEvent[] {
  const due_at = new Date(attempt.now.getTime() + afterSeconds * 1000).toISOString();
  const data = { ...aboutOf(attempt), reason, due_at, is_outcome_unknown: isOutcomeUnknown };
  return [{ type: 'LeadAttemptWithdrawn', data }];
}

/** What a rejection makes of an attempt: withdrawn where the reason passes by itself, failed otherwise. */
export function attemptRefused(attempt: QueuedAttempt, rejection: BusRejection): LeadEvent[] {
  const reason = reasonOf(rejection);
  // Other leads do not wait for the outcome. As this one may have been reached, the attempt keeps its number.
  if (isUnknown(rejection) && !staysUnknown(attempt, rejection))
    return attemptWithdrawn(attempt, reason, { isOutcomeUnknown: true });
  if (temporaryCodes.has(rejection.code)) return attemptWithdrawn(attempt, reason);
  const isFirst = attempt.event.data.attempt === 1;
  const afterSeconds = rejection.retryAfterSeconds ?? heldUpSeconds(rejection, { isFirst });
  // Not at once: an attempt that is due at once may have been asked for, and keeps its number.
  if (afterSeconds !== undefined)
    return attemptWithdrawn(attempt, reason, { afterSeconds: Math.max(1, afterSeconds) });
  const { lead, settings, now } = attempt;
  const next = whatComesNext(lead, 'failed', settings.retries, now);
  return [{ type: 'LeadAttemptEnded', data: { ...aboutOf(attempt), outcome: 'failed', reason, next } }];
}

/**
 * How long an attempt of unknown outcome is asked about again. Providers that tell do so within minutes; after this
 * the lead fails, unless it turns out later (`late-answers.ts`).
 */
const toldWithinMs = 15 * 60_000;

/** Whether an unknown outcome has been waited for long enough: the lead fails, and nobody knows what came of it. */
export const staysUnknown = ({ lead, now }: QueuedAttempt, rejection: BusRejection): boolean =>
  isUnknown(rejection) &&
  lead.unknownSince !== null &&
  now.getTime() - Date.parse(lead.unknownSince) >= toldWithinMs;

/** A service that failed unexpectedly may have done so before or after it reached somebody. */
const isUnknown = ({ code, details }: BusRejection): boolean =>
  details?.outcome === 'unknown' || code === 'internal';

const temporaryCodes = new Set(['unavailable', 'timeout', 'contended', 'idempotency_in_progress']);

function aboutOf({ event, now }: QueuedAttempt) {
  const { campaign_id, attempt, contact_id } = event.data;
  return { campaign_id, attempt, contact_id, at: now.toISOString() };
}

/**
 * The reason as people read it: the rejection's own words and those about its fields; the usual ones where it has
 * neither.
 */
function reasonOf({ code, message, fields }: BusRejection): string {
  const ofFields = Object.values(fields ?? {}).flat();
  const usual = ofFields.length > 0 ? [] : [usualMessages.get(code) ?? code];
  const said = message === undefined ? usual : [message];
  // The cut may split a character, which could not be stored.
  return [...said, ...ofFields].join(' ').slice(0, 500).toWellFormed();
}

const usualMessages: ReadonlyMap<string, string> = new Map(
  Object.entries(rejections).map(([code, { message }]) => [code, message]),
);
