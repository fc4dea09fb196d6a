import type { LeadEvent, MessageUndeliverableEvent } from '@parley/contracts';
import type { LiveLead } from '../../lead/lead.ts';
import { unsentSeconds } from '../attempt/hold-ups.ts';
import type { OpeningHours } from '../pacing/windows.ts';
import { unsent } from './unsent.ts';

type Undeliverable = Pick<MessageUndeliverableEvent['data'], 'message_id' | 'code' | 'reason'>;

/**
 * What a message that could not be delivered comes to for its lead; nothing unless the chat platform would not send any at
 * present, of which it most often tells only after it has taken it.
 */
export function messageUnsent(
  state: LiveLead,
  { message_id: id, code, reason: told }: Undeliverable,
  commandId: string,
  hours: OpeningHours,
  now: Date,
): LeadEvent[] {
  const seconds = unsentSeconds(code);
  if (seconds === undefined) return [];
  const reason = `The chat platform did not send the message: ${told}`.slice(0, 500).toWellFormed();
  return unsent(state, { id, commandId, reason, againAfterMs: seconds * 1_000 }, hours, now);
}
