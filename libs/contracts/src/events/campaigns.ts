import { z } from 'zod';
import { defineEvent, type EventOf } from '../history/event.ts';

const campaign = { service: 'assistants', category: 'campaign', version: 1 } as const;

/** `at` is decided before the append, because the answer shows it. */
const moment = z.object({ at: z.string() });

/** What a campaign reaches out with, when, and how often. */
const settings = z.object({
  assistant_id: z.int().nullable(),
  sender_id: z.int().nullable(),
  template_id: z.int().nullable(),
  body: z.string().nullable(),
  variable_mapping: z.record(z.string(), z.string()),
  timezone: z.string(),
  windows: z.array(z.object({ days: z.array(z.int()), from: z.string(), to: z.string() })),
  retries: z.object({ max_attempts: z.int(), delay_minutes: z.int() }),
});

export const CampaignCreated = defineEvent({
  ...campaign,
  type: 'CampaignCreated',
  summary: 'A campaign was created; it does not run yet.',
  data: z.object({
    id: z.int(),
    name: z.string(),
    channel: z.enum(['call', 'chatapp', 'sms']),
    ...settings.shape,
    created_at: z.string(),
  }),
});

export const CampaignRenamed = defineEvent({
  ...campaign,
  type: 'CampaignRenamed',
  summary: 'A campaign was renamed.',
  data: z.object({ name: z.string(), at: z.string() }),
});

export const CampaignSettingsChanged = defineEvent({
  ...campaign,
  type: 'CampaignSettingsChanged',
  summary: 'Settings of a campaign were changed; attempts from then on are made with them.',
  data: z.object({ changed: settings.partial(), at: z.string() }),
});

export const CampaignStarted = defineEvent({
  ...campaign,
  type: 'CampaignStarted',
  summary: 'A campaign began, or went on, to reach out to its leads.',
  data: moment,
});

export const CampaignStopped = defineEvent({
  ...campaign,
  type: 'CampaignStopped',
  summary: 'A campaign stopped reaching out to its leads.',
  data: moment,
});

export const CampaignDeleted = defineEvent({
  ...campaign,
  type: 'CampaignDeleted',
  summary: 'A campaign was deleted with its leads; it reaches out to nobody any more.',
  data: moment,
});

export type CampaignEvent = EventOf<
  | typeof CampaignCreated
  | typeof CampaignRenamed
  | typeof CampaignSettingsChanged
  | typeof CampaignStarted
  | typeof CampaignStopped
  | typeof CampaignDeleted
>;
