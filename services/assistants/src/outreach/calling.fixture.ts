import { CallEnded, placeCall, sendSms } from '@parley/contracts';
import { eventually, type ServiceCopies } from '@parley/testing';
import { expect } from 'vitest';
import { accepted, startOtherService } from './other-service.fixture.ts';
import type { Send } from './outreach.fixture.ts';

/** Telephony, which numbers the calls that it places and the SMS that it sends. */
export async function startTelephony({ natsUrl }: ServiceCopies) {
  const telephony = await startOtherService(natsUrl, 'telephony', [placeCall, sendSms]);
  let calls = 9000;
  const nextCall = () => ++calls;
  const askedFor = (leadId: number) => telephony.asked.filter(({ payload }) => payload.lead_id === leadId);
  return {
    ...telephony,
    /** The id of one more call. */
    nextCall,
    /** From now on it places every call. */
    placesCalls: () => telephony.answer(() => accepted(String(nextCall()))),
    askedFor,
    /** Resolves with the id of the newest call once the lead was asked for so often. */
    async callsOf(leadId: number, count: number): Promise<number> {
      await eventually(() => expect(askedFor(leadId)).toHaveLength(count));
      return calls;
    },
    /** The call that the lead's newest attempt placed is over. */
    endCall(send: Send, leadId: number, status: string, callId: number, duration_s = 3): void {
      const [asked] = askedFor(leadId).slice(-1);
      telephony.publish(CallEnded.type, 'call', send.accountId, {
        call_id: callId,
        direction: 'outbound',
        assistant_id: 1,
        customer_phone: String(asked?.payload.phone_number),
        assistant_phone: '+14155550002',
        status,
        duration_s,
        transcript: [],
        recording_url: null,
        extracted_variables: {},
        input_variables: {},
        lead_id: leadId,
        campaign_id: null,
        created_at: '2026-11-21T09:30:00Z',
        finished_at: '2026-11-21T09:30:03Z',
      });
    },
  };
}
export type Telephony = Awaited<ReturnType<typeof startTelephony>>;
