import {
  type AutomationTrigger,
  type AutomationTriggerType,
  CallEnded,
  CallPermissionGranted,
  LeadCreated,
  MessageReceived,
  RunFailed,
  type ServiceName,
} from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import type { JsonValue } from '../json.ts';
import { chainDepthAfter, depthBelow } from './chain.ts';
import type { FailedRun } from './failed-run.ts';

/** The lead and the campaign of an event, as they are when its run starts. */
export interface Party {
  readonly lead: JsonValue;
  readonly campaign: JsonValue;
}
/** Look-ups for events that do not say everything themselves. */
interface LookUps {
  readonly findParty: (ids: {
    readonly lead_id: number | null;
    readonly campaign_id: number | null;
  }) => Promise<Party>;
  readonly findFailedRun: () => Promise<FailedRun | undefined>;
}

/** What templates see as `trigger`. */
interface EventPayload {
  readonly [name: string]: JsonValue;
}

/** An event that starts runs. */
export interface EventTrigger {
  readonly trigger: AutomationTriggerType;
  readonly service: ServiceName;
  readonly eventType: string;
  /** Whether a trigger of this service's automations wants an event with this data and payload. */
  readonly concerns: (data: unknown, payload: EventPayload) => (trigger: AutomationTrigger) => boolean;
  /** The payload of the runs that the event starts; undefined where it starts none. */
  readonly payload: (event: RecordedEvent, lookUps: LookUps) => Promise<EventPayload | undefined>;
  /** Chain depth of the runs that the event starts. */
  readonly chainDepth: (event: RecordedEvent, payload: EventPayload) => number;
}

const chainDepth = ({ metadata }: RecordedEvent): number => chainDepthAfter(metadata);

const isOf = (wanted: number | undefined, actual: number | null): boolean =>
  wanted === undefined || wanted === actual;

const leadCreated: EventTrigger = {
  trigger: 'lead.created',
  service: 'assistants',
  eventType: LeadCreated.type,
  chainDepth,
  concerns(data) {
    const { campaign_id } = LeadCreated.data.parse(data);
    return (trigger) => trigger.type === 'lead.created' && isOf(trigger.campaign_id, campaign_id);
  },
  async payload({ data }, { findParty }) {
    const { at, imported, id, campaign_id, phone_number, variables, secondary_contacts } =
      LeadCreated.data.parse(data);
    const { campaign } = await findParty({ lead_id: null, campaign_id });
    return {
      lead: { id, campaign_id, phone_number, variables, secondary_contacts } as JsonValue,
      campaign,
      campaign_id,
      customer_phone: phone_number,
      imported: imported !== null,
      created_at: at,
    };
  },
};

const messageReceived: EventTrigger = {
  trigger: 'conversation.message_received',
  service: 'messaging',
  eventType: MessageReceived.type,
  chainDepth,
  concerns(data) {
    const { sender_id } = MessageReceived.data.parse(data);
    return (trigger) =>
      trigger.type === 'conversation.message_received' && isOf(trigger.sender_id, sender_id);
  },
  async payload({ data }) {
    const received = MessageReceived.data.parse(data);
    return {
      message: {
        id: received.message_id,
        type: received.kind,
        text: received.text,
        sent_at: received.sent_at,
        in_reply_to_sid: received.in_reply_to_sid,
        is_forwarded: received.is_forwarded,
        payload: received.payload,
        referral: received.referral as JsonValue,
      },
      conversation_uuid: received.conversation_uuid,
      sender_id: received.sender_id,
      customer_phone: received.contact_phone,
      customer_name: received.contact_name,
    };
  },
};

const callCompleted: EventTrigger = {
  trigger: 'call.completed',
  service: 'telephony',
  eventType: CallEnded.type,
  chainDepth,
  concerns(data) {
    const { assistant_id } = CallEnded.data.parse(data);
    return (trigger) => trigger.type === 'call.completed' && isOf(trigger.assistant_id, assistant_id);
  },
  async payload({ data }, { findParty }) {
    const { lead_id, campaign_id, duration_s: duration, ...call } = CallEnded.data.parse(data);
    return { ...call, duration, ...(await findParty({ lead_id, campaign_id })) } as EventPayload;
  },
};

const callPermissionGranted: EventTrigger = {
  trigger: 'call_permission_granted',
  service: 'messaging',
  eventType: CallPermissionGranted.type,
  chainDepth,
  concerns(data) {
    const { sender_id } = CallPermissionGranted.data.parse(data);
    return (trigger) => trigger.type === 'call_permission_granted' && isOf(trigger.sender_id, sender_id);
  },
  async payload({ data }) {
    const { sender_id, customer_phone, validity, at } = CallPermissionGranted.data.parse(data);
    const is_permanent = validity.kind === 'permanent';
    const expires_at = validity.kind === 'permanent' ? null : validity.expires_at;
    return { sender_id, customer_phone, is_permanent, expires_at, granted_at: at };
  },
};

const runFailed: EventTrigger = {
  trigger: 'run.failed',
  service: 'automations',
  eventType: RunFailed.type,
  concerns:
    (_, { automation_id }) =>
    (trigger) =>
      trigger.type === 'run.failed' && isOf(trigger.automation_id, Number(automation_id)),
  payload: (_, { findFailedRun }) => findFailedRun(),
  chainDepth: (_, { chain_depth }) => depthBelow(Number(chain_depth)),
};

/** All events that start runs. */
export const eventTriggers: readonly EventTrigger[] = [
  leadCreated,
  messageReceived,
  callCompleted,
  callPermissionGranted,
  runFailed,
];
