import { z } from 'zod';
import { campaignChannels } from '../campaign-terms.ts';
import { clockTime } from '../input/clock-time.ts';
import { bodyId, pageNumber, pathId, perPage, textUpTo, writtenUpTo } from '../input/text.ts';
import { timeZone } from '../input/time-zone.ts';
import { defineOperation } from '../operation.ts';

const campaigns = {
  service: 'assistants',
  tag: 'Campaigns',
  errorShape: 'message',
} as const;
const oneCampaign = { ...campaigns, notFoundMessage: 'Campaign not found' } as const;

const weekday = z.int().min(1).max(7).describe('1 is Monday.');
const variableName = textUpTo(255);
const maxMappings = 200;

/**
 * When a running campaign may reach out: ISO weekdays (1 is Monday) and a span of local time in its time zone. A span
 * that does not end later than it begins ends on the next day: `22:00` to `02:00`, or `00:00` to `00:00` for all day.
 */
const window = z.object({
  days: z.array(weekday).min(1).max(7).describe('The weekdays on which it begins.'),
  from: clockTime.describe('Local time, such as `09:00`.'),
  to: clockTime.describe('Not later than `from`: on the next day; `00:00` to `00:00` is all day.'),
});
/** Whoever was not reached is tried again, `max_attempts` in all, `delay_minutes` apart. */
const retries = z.object({
  max_attempts: z.int().min(1).max(10).describe('In all.'),
  delay_minutes: z.int().min(1).max(10_080).describe('Between two attempts.'),
});

const id = z.object({ id: pathId().describe('Of the campaign.') });
const name = writtenUpTo(255);
const channel = z.enum(campaignChannels);
const status = z.enum(['stopped', 'running']);

const campaign = z
  .object({
    id: z.int(),
    name: z.string(),
    channel,
    status,
    assistant_id: z.int().nullable(),
    sender_id: z.int().nullable(),
    template_id: z.int().nullable(),
    body: z.string().nullable(),
    variable_mapping: z.record(z.string(), z.string()),
    timezone: z.string(),
    windows: z.array(window),
    retries,
    held_up: z
      .object({ reason: z.string(), until: z.iso.datetime() })
      .nullable()
      .describe(
        'Why a running campaign waits though leads are there, and when it tries again; `start` lets it try at once. Null while it does not.',
      ),
    leads_count: z.int().describe('How many leads it has.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Campaign' });

/** What a campaign reaches out with, when, and how often; each channel has its own. */
const settings = {
  assistant_id: bodyId().nullish().describe('Who calls: an own outbound assistant. Of a call campaign.'),
  sender_id: bodyId().nullish().describe('Whose number writes. Of a chat-app campaign.'),
  template_id: bodyId().nullish().describe('What is sent: an approved template. Of a chat-app campaign.'),
  body: textUpTo(1600)
    .nullish()
    .describe(
      'The text, in which `{{name}}` stands for a variable. Of an SMS campaign. Filled in, it is paid by its segments: 160 characters of the GSM alphabet, 153 each where there are several; 70 or 67 once one character is not in it.',
    ),
  variable_mapping: z
    .record(variableName, variableName)
    .refine((mapping) => Object.keys(mapping).length <= maxMappings, {
      error: `The :attribute field must not have more than ${maxMappings} items.`,
    })
    .meta({ maxProperties: maxMappings })
    .nullish()
    .describe("By variable of the assistant, template or text: the lead's variable, or `phone_number`."),
  timezone: timeZone()
    .nullish()
    .describe("IANA name; the time zone of `windows`. The assistant's for a call campaign, else UTC."),
  windows: z.array(window).max(14).nullish().describe('When leads may be reached; at any time when absent.'),
  retries: retries.nullish().describe('How often those are tried who were not reached.'),
};

export const createCampaign = defineOperation({
  ...campaigns,
  name: 'create-campaign',
  kind: 'command',
  method: 'POST',
  path: '/api/user/campaign',
  summary: 'Create a campaign; it starts stopped',
  description: [
    'A call campaign needs `assistant_id` (an own outbound assistant), a chat-app campaign `sender_id` and `template_id`, an SMS campaign `body`; the fields of other channels are ignored.',
    "`variable_mapping` names the lead's variable for each variable of the assistant, template or SMS body; `phone_number` is the lead's number. A variable that is not mapped is the lead's of the same name.",
    "Without `windows` the campaign reaches out at any time. `timezone` is the assistant's for a call campaign, else UTC. `retries` are 3 attempts, 60 minutes apart.",
  ].join('\n\n'),
  body: z.object({
    name: name.describe('For people.'),
    channel: channel.describe('How leads are reached.'),
    ...settings,
  }),
  example: {
    name: 'Spring offers',
    channel: 'sms',
    body: 'Hello {{first_name}}, our spring offers are here.',
    timezone: 'Europe/London',
    windows: [{ days: [1, 2, 3, 4, 5], from: '09:00', to: '17:30' }],
    retries: { max_attempts: 3, delay_minutes: 60 },
  },
  success: { status: 201, schema: z.object({ message: z.string(), data: campaign }) },
});

export const updateCampaign = defineOperation({
  ...oneCampaign,
  name: 'update-campaign',
  kind: 'command',
  method: 'PUT',
  path: '/api/user/campaign/{id}',
  summary: 'Change a campaign',
  description: [
    'Only the fields sent are changed, `null` restores the default; `variable_mapping`, `windows` and `retries` replace what was there. The channel stays.',
    'One that runs goes on with what was changed: attempts that have begun end as they were made, all others are made with the new settings and within the new windows. A lead that waits for a retry keeps its time, and is not tried again where it has had as many attempts as are wanted now.',
    'Where it is held up and gets another assistant, sender, template, text or mapping, it tries again at once.',
  ].join('\n\n'),
  params: id,
  body: z.object({
    name: name.optional().describe('For people.'),
    channel: channel.optional().describe('Cannot be changed: only the one that it has is accepted.'),
    ...settings,
  }),
  example: { id: 1, name: 'Spring offers 2027', retries: { max_attempts: 2, delay_minutes: 120 } },
  success: { status: 200, schema: z.object({ message: z.string(), data: campaign }) },
});

export const deleteCampaign = defineOperation({
  ...oneCampaign,
  name: 'delete-campaign',
  kind: 'command',
  method: 'DELETE',
  path: '/api/user/campaign/{id}',
  summary: 'Delete a campaign and its leads; their history stays',
  description:
    'One that runs is stopped: after the answer nothing new is begun, what has been begun ends by itself and is told as always. One of more than 250,000 leads cannot be deleted (422).',
  params: id,
  success: { status: 200, schema: z.object({ message: z.string() }) },
});

export const listCampaigns = defineOperation({
  ...campaigns,
  name: 'list-campaigns',
  kind: 'query',
  method: 'GET',
  path: '/api/user/campaigns',
  summary: 'List campaigns, newest first',
  description: '`leads_count` says how many leads one has, `held_up` why a running one waits.',
  query: z.object({ page: pageNumber(), per_page: perPage(15) }),
  success: {
    status: 200,
    schema: z.object({ data: z.array(campaign), current_page: z.int(), per_page: z.int(), total: z.int() }),
  },
});

export const updateCampaignStatus = defineOperation({
  ...oneCampaign,
  name: 'update-campaign-status',
  kind: 'command',
  method: 'POST',
  path: '/api/user/campaigns/update-status',
  summary: 'Start or stop a campaign',
  description:
    'A running campaign reaches out to its leads within its windows. After the answer to `stop` nothing new is begun; what has been begun ends by itself.',
  body: z.object({
    campaign_id: bodyId().describe('The campaign.'),
    action: z.enum(['start', 'stop']).describe('`start` also lets one that is held up try at once.'),
  }),
  example: { campaign_id: 1, action: 'start' },
  success: { status: 200, schema: z.object({ message: z.string(), data: campaign }) },
});
