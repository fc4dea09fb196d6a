import { SmsUndeliverable } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import type { Reactor } from '@parley/processing';
import { type FollowParts, followOutcomes, type Told } from './follow-outcomes.ts';
import { smsUnsent } from './unsent-sms.ts';

/** Reactor on telephony's log: a lead whose SMS the carrier took and did not send is reached out to again. */
export const followSms = (parts: FollowParts): Reactor =>
  followOutcomes({ name: 'campaign-sms-outcomes', handles: [SmsUndeliverable.type], read }, parts);

function read({ data }: RecordedEvent): Told | null {
  const sms = SmsUndeliverable.data.parse(data);
  if (sms.lead_id === null) return null;
  return { leadId: sms.lead_id, of: (state, _, now) => smsUnsent(state, sms, now) };
}
