import type { LeadEvent, MessageUndeliverableEvent } from '@parley/contracts';
import type { LiveLead } from '../../lead/lead.ts';
import { unsentSeconds } from '../attempt/hold-ups.ts';
import { unsent } from './unsent.ts';

type Undeliverable = Pick<MessageUndeliverableEvent['data'], 'message_id' | 'code' | 'reason'>;

/**
 * The events of a lead whose message could not be delivered; none unless the chat platform sends nothing at present,
 * which it most often tells only after it has taken a message.
 */
export function messageUnsent(
  state: LiveLead,
  { message_id: id, code, reason: told }: Undeliverable,
  commandId: string,
  now: Date,
): LeadEvent[] {
  const seconds = unsentSeconds(code, { isFirst: state.attempts === 1 });
  if (seconds === undefined) return [];
  const reason = `The chat platform did not send the message: ${told}`.slice(0, 500).toWellFormed();
  return unsent(state, { id, commandId, reason, againAfterMs: seconds * 1_000 }, now);
}
