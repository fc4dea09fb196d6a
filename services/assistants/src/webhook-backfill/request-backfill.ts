import type {
  backfillWebhooks,
  OperationSuccess,
  WebhookBackfillEvent,
  WebhookKind,
} from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { Backfill } from './backfill.ts';

type Answer = OperationSuccess<typeof backfillWebhooks>;

/** Webhooks by the numbers of their sequence, both included. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export interface RequestBackfill {
  /** A new id, for the back-fill that may begin. */
  readonly backfillId: string;
  readonly event: WebhookKind;
  /** ISO 8601 in UTC with milliseconds. */
  readonly since: string;
  /** The webhooks that there are to send again; null for none. */
  readonly range: Range | null;
  /**
   * The moment for the next back-fill, after the one that begins or is under way; null when that one has all webhooks.
   */
  readonly nextSince: string | null;
  /** Whether the newest back-fill still has its timer, or a webhook of its range is yet to be tried. */
  readonly isUnderWay: boolean;
}

/** Begins a back-fill. Where one is under way it goes on, and whoever asks again is told about that one. */
export function requestBackfill(
  state: Backfill,
  { backfillId, event, since, range, nextSince, isUnderWay }: RequestBackfill,
): Pick<Decision<WebhookBackfillEvent, Answer>, 'events' | 'reply'> {
  const answer = (id: string | null, of: Range | null, message: string): Answer => ({
    message,
    data: {
      backfill_id: id,
      event,
      since,
      webhooks: of ? of.to - of.from + 1 : 0,
      from_sequence: of?.from ?? null,
      to_sequence: of?.to ?? null,
      next_since: nextSince,
    },
  });
  if (state && isUnderWay) {
    const known = { from: state.from_sequence, to: state.to_sequence };
    return { events: [], reply: answer(state.backfill_id, known, 'The back-fill is under way already') };
  }
  if (!range) return { events: [], reply: answer(null, null, 'There is nothing to send again') };
  const requested: WebhookBackfillEvent = {
    type: 'WebhookBackfillRequested',
    data: { backfill_id: backfillId, event, since, from_sequence: range.from, to_sequence: range.to },
  };
  return { events: [requested], reply: answer(backfillId, range, 'The webhooks are being sent again') };
}
