import { asWords, type createCampaign, type OperationInput } from '@parley/contracts';
import type { CampaignSettings } from './campaign.ts';
import type { CampaignReferences, TemplateFinding } from './campaign-lookups.ts';

/** What a campaign is made of as callers say it, and what that refers to. */
export interface WantedCampaign extends OperationInput<typeof createCampaign>, CampaignReferences {
  readonly id: number;
}

/** How often, and how many minutes apart, a lead that does not answer is tried where the campaign does not say. */
const defaultRetries = { max_attempts: 3, delay_minutes: 60 };

/** The settings of a campaign: the fields of its own channel, and defaults for what is not said. */
export function settingsOf(wanted: WantedCampaign): CampaignSettings {
  const { id, name, channel, assistant } = wanted;
  const own = <T>(of: WantedCampaign['channel'], value: T | null | undefined): T | null =>
    channel === of ? (value ?? null) : null;
  return {
    id,
    name,
    channel,
    assistant_id: own('call', wanted.assistant_id),
    sender_id: own('chatapp', wanted.sender_id),
    template_id: own('chatapp', wanted.template_id),
    body: own('sms', wanted.body),
    variable_mapping: wanted.variable_mapping ?? {},
    timezone: wanted.timezone ?? own('call', assistant?.timezone) ?? 'UTC',
    windows: wanted.windows ?? [],
    retries: wanted.retries ?? defaultRetries,
  };
}

const required = (field: string) => [`The ${asWords(field)} field is required.`];

/** The faults of what the channel needs, by field; fields of other channels are ignored. */
export function faultsOf(wanted: WantedCampaign): Record<string, readonly string[]> {
  const fields: Record<string, readonly string[]> = {};
  switch (wanted.channel) {
    case 'call':
      if (wanted.assistant_id == null) fields.assistant_id = required('assistant_id');
      else if (wanted.assistant?.type !== 'outbound')
        fields.assistant_id = ['The selected assistant id is invalid; it must be an outbound assistant.'];
      return fields;
    case 'chatapp':
      if (wanted.sender_id == null) fields.sender_id = required('sender_id');
      if (wanted.template_id == null) fields.template_id = required('template_id');
      return { ...fields, ...templateFaults[wanted.template] };
    case 'sms':
      if (!wanted.body?.trim()) fields.body = required('body');
      return fields;
    default:
      return wanted.channel satisfies never;
  }
}

const templateFaults: Readonly<Record<TemplateFinding, Record<string, readonly string[]>>> = {
  ok: {},
  sender_not_found: { sender_id: ['The selected sender id is invalid.'] },
  template_not_found: { template_id: ['The selected template id is invalid.'] },
  template_not_approved: { template_id: ['The selected template is not approved.'] },
};
