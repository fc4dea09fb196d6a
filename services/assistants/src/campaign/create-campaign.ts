import type { CampaignEvent } from '@parley/contracts';
import {
  type createCampaign as createCampaignOperation,
  type OperationInput,
  type Rejection,
  reject,
} from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { Campaign, CampaignSettings } from './campaign.ts';
import { campaign } from './campaign.ts';
import type { FoundAssistant, TemplateFinding } from './campaign-lookups.ts';
import { toItem } from './item.ts';

type Input = OperationInput<typeof createCampaignOperation>;

export interface CreateCampaign extends Input {
  /** A new id, which no other campaign ever has. */
  readonly id: number;
  readonly now: Date;
  /** What `assistant_id` refers to in the account; undefined when there is no such assistant. */
  readonly assistant: FoundAssistant | undefined;
  readonly template: TemplateFinding;
}

/** The answer of commands that create, start or stop a campaign. */
export interface CampaignAnswer {
  readonly message: string;
  readonly data: ReturnType<typeof toItem>;
}

/** How often, and how many minutes apart, a lead that does not answer is tried where the campaign does not say. */
const defaultRetries = { max_attempts: 3, delay_minutes: 60 };

/**
 * Creates a campaign, which is stopped at first. `invalid`, with faults by field, when something that its channel needs
 * is missing or cannot be used.
 */
export function createCampaign(
  state: Campaign,
  command: CreateCampaign,
): Decision<CampaignEvent, CampaignAnswer> | Rejection {
  if (state) throw new Error(`Campaign ${command.id} was given out twice.`);
  const fields = faultsOf(command);
  if (Object.keys(fields).length > 0) return reject('invalid', { fields });
  const created: CampaignEvent = {
    type: 'CampaignCreated',
    data: { ...settingsOf(command), created_at: command.now.toISOString() },
  };
  const after = campaign.evolve(null, created);
  if (!after) throw new Error('A created campaign is there.');
  return { events: [created], reply: { message: 'Campaign created successfully', data: toItem(after, 0) } };
}

const required = (field: string) => [`The ${field.replaceAll('_', ' ')} field is required.`];

/** The faults of what the channel needs, by field; fields of other channels are ignored. */
function faultsOf(command: CreateCampaign): Record<string, readonly string[]> {
  const fields: Record<string, readonly string[]> = {};
  switch (command.channel) {
    case 'call':
      if (command.assistant_id == null) fields.assistant_id = required('assistant_id');
      else if (command.assistant?.type !== 'outbound')
        fields.assistant_id = ['The selected assistant id is invalid; it must be an outbound assistant.'];
      return fields;
    case 'chatapp':
      if (command.sender_id == null) fields.sender_id = required('sender_id');
      if (command.template_id == null) fields.template_id = required('template_id');
      return { ...fields, ...templateFaults[command.template] };
    case 'sms':
      if (!command.body?.trim()) fields.body = required('body');
      return fields;
    default:
      return command.channel satisfies never;
  }
}

const templateFaults: Readonly<Record<TemplateFinding, Record<string, readonly string[]>>> = {
  ok: {},
  sender_not_found: { sender_id: ['The selected sender id is invalid.'] },
  template_not_found: { template_id: ['The selected template id is invalid.'] },
  template_not_approved: { template_id: ['The selected template is not approved.'] },
};

function settingsOf(command: CreateCampaign): CampaignSettings {
  const { id, name, channel, assistant } = command;
  const own = <T>(of: Input['channel'], value: T | null | undefined): T | null =>
    channel === of ? (value ?? null) : null;
  return {
    id,
    name,
    channel,
    assistant_id: own('call', command.assistant_id),
    sender_id: own('chatapp', command.sender_id),
    template_id: own('chatapp', command.template_id),
    body: own('sms', command.body),
    variable_mapping: command.variable_mapping ?? {},
    timezone: command.timezone ?? own('call', assistant?.timezone) ?? 'UTC',
    windows: command.windows ?? [],
    retries: command.retries ?? defaultRetries,
  };
}
