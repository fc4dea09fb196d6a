import type { CallEndedEvent, CallWebhookFields, WebhookKind } from '@parley/contracts';
import type { AssistantWebhooks } from '../endpoints/endpoints.ts';

/** The lead and the campaign that a call was about, as customers see them. */
export type CallParties = Pick<CallWebhookFields, 'lead' | 'campaign'>;

type CallEnded = CallEndedEvent['data'];

/**
 * Which webhooks a call leads to, and where they go: an outbound call to post_call, an inbound one to inbound_call and
 * to post_call as well when that is on (decisions, section 8).
 */
export function webhooksOfCall(
  call: CallEnded,
  { urls, onlyOnCompleted }: AssistantWebhooks,
): readonly { readonly event: WebhookKind; readonly url: string }[] {
  const isWanted = !onlyOnCompleted || call.status === 'completed';
  const wanted = {
    inbound_call: call.direction === 'inbound' ? urls.inbound_call : null,
    post_call: isWanted ? urls.post_call : null,
  };
  return (['inbound_call', 'post_call'] as const).flatMap((event) => {
    const url = wanted[event];
    return url === null ? [] : [{ event, url }];
  });
}

/** The fields of a call's webhook; `recording_url` only where the assistant's settings include it. */
export const callFields = (
  call: CallEnded,
  assistantId: number,
  { lead, campaign }: CallParties,
  { includesRecording }: AssistantWebhooks,
): CallWebhookFields => ({
  id: call.call_id,
  assistant_id: assistantId,
  customer_phone: call.customer_phone,
  assistant_phone: call.assistant_phone,
  direction: call.direction,
  duration: call.duration_s,
  status: call.status,
  extracted_variables: call.extracted_variables,
  input_variables: call.input_variables,
  transcript: call.transcript,
  ...(includesRecording ? { recording_url: call.recording_url } : {}),
  created_at: call.created_at,
  finished_at: call.finished_at,
  lead,
  campaign,
});
