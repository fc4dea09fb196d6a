import { type CallEvent, formatMicros, type getCall, type OperationSuccess } from '@parley/contracts';

type Item = OperationSuccess<typeof getCall>['data'];

/** The fields of the API's item that an event sets. `room` is for the view only and not shown. */
export function fieldsOf(event: CallEvent): Partial<Item> & { readonly room?: string } {
  switch (event.type) {
    case 'CallRequested': {
      const { lead_id, campaign_id, input_variables, requested_at } = event.data;
      return {
        ...beginning(event.data),
        direction: 'outbound',
        status: 'queued',
        lead_id,
        campaign_id,
        input_variables,
        created_at: requested_at,
      };
    }
    case 'CallArrived': {
      const { direction, arrived_at } = event.data;
      return { ...beginning(event.data), direction, status: 'in_progress', created_at: arrived_at };
    }
    case 'CallDialed':
      return { status: 'ringing' };
    case 'CallNotPlaced':
      return { reason: event.data.reason };
    case 'CallDeadlinePassed':
      return { reason: 'No report of the call came in time.' };
    case 'CallEnded': {
      const { direction, status, duration_s, transcript, recording_url, extracted_variables } = event.data;
      return {
        direction,
        status,
        duration: duration_s,
        transcript,
        recording_url,
        extracted_variables,
        finished_at: new Date(event.data.finished_at).toISOString(),
      };
    }
    case 'CallRecordingAdded':
      return { recording_url: event.data.recording_url };
    case 'CallCharged':
      return { cost: formatMicros(event.data.amount_micros) };
    case 'CallNotCharged':
      return { cost: formatMicros(0), reason: 'The balance was too low to pay for the call.' };
    case 'CallDropped':
      return {};
    default:
      return event satisfies never;
  }
}

type Parties = Extract<CallEvent, { type: 'CallArrived' }>['data'];

const beginning = (
  data: Omit<Parties, 'direction' | 'arrived_at'>,
): Omit<Item, 'direction' | 'status' | 'created_at'> & { room: string } => ({
  id: data.call_id,
  channel: data.channel,
  assistant_id: data.assistant_id,
  customer_phone: data.customer_phone,
  assistant_phone: data.assistant_phone,
  lead_id: null,
  campaign_id: null,
  duration: 0,
  cost: null,
  reason: null,
  input_variables: {},
  extracted_variables: {},
  transcript: [],
  recording_url: null,
  finished_at: null,
  room: data.room,
});

/** A newly requested call as the API shows it. */
export function newItem(event: Extract<CallEvent, { type: 'CallRequested' }>): Item {
  const { room: _, ...item } = fieldsOf(event);
  // The first event sets every field.
  return item as Item;
}
