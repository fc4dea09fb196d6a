import { z } from 'zod';
import { defineEvent, type EventOf, earlierVersion } from '../history/event.ts';

const lead = { service: 'assistants', category: 'lead', version: 1 } as const;

const variables = z.record(z.string(), z.json());
/** Decided before the append, because the answer shows it. */
const at = z.string();
const contact = z.object({ id: z.int(), phone_number: z.string(), variables });
/** Attempts are counted over all of a lead's contacts; `contact_id` is null for the lead itself. */
const attempt = { campaign_id: z.int(), attempt: z.int(), contact_id: z.int().nullable(), at };

export const LeadCreated = defineEvent({
  ...lead,
  type: 'LeadCreated',
  summary: 'A lead was added to a campaign.',
  personal: {
    subject: 'phone_number',
    fields: ['phone_number', 'variables'],
    each: { secondary_contacts: { subject: 'phone_number', fields: ['phone_number', 'variables'] } },
  },
  data: z.object({
    id: z.int(),
    campaign_id: z.int(),
    phone_number: z.string(),
    variables,
    secondary_contacts: z.array(contact),
    imported: z
      .object({ import_id: z.string(), row: z.int() })
      .nullable()
      .describe('The import and the row of its file that it came from.'),
    at,
  }),
});

const moved = { phone_number: z.string(), at };

export const LeadPhoneNumberChanged = defineEvent({
  ...lead,
  type: 'LeadPhoneNumberChanged',
  version: 2,
  summary: 'A lead got another phone number.',
  personal: { subject: 'phone_number', fields: ['phone_number', 'variables'] },
  data: z.object({
    ...moved,
    variables: variables
      .nullable()
      .describe("The lead's variables, which go with it to another line; null where they stay as they are."),
  }),
  earlier: [earlierVersion(z.object(moved), (data) => ({ ...data, variables: null }))],
});

export const LeadVariablesReplaced = defineEvent({
  ...lead,
  type: 'LeadVariablesReplaced',
  summary: "A lead's variables were replaced.",
  personal: { fields: ['variables'] },
  data: z.object({ variables, at }),
});

export const LeadDeleted = defineEvent({
  ...lead,
  type: 'LeadDeleted',
  summary: 'A lead was removed from its campaign.',
  data: z.object({ campaign_id: z.int(), at }),
});

export const LeadQueued = defineEvent({
  ...lead,
  type: 'LeadQueued',
  summary: 'A running campaign decided to reach out to a lead.',
  data: z.object({ ...attempt, channel: z.enum(['call', 'chatapp', 'sms']) }),
});

const withdrawn = {
  ...attempt,
  reason: z.string().describe('Why, in words for people.'),
  due_at: z.string().describe('Not before this moment.'),
};

export const LeadAttemptWithdrawn = defineEvent({
  ...lead,
  type: 'LeadAttemptWithdrawn',
  version: 2,
  summary: 'An attempt was given up before anybody was known to be reached; the lead is reached out to anew.',
  personal: { mentions: ['reason'] },
  data: z.object({
    ...withdrawn,
    is_outcome_unknown: z
      .boolean()
      .nullable()
      .describe(
        'Its service said that nobody knows whether somebody was reached; null where nobody noted it.',
      ),
  }),
  earlier: [earlierVersion(z.object(withdrawn), (data) => ({ ...data, is_outcome_unknown: null }))],
});

export const LeadAttemptStarted = defineEvent({
  ...lead,
  type: 'LeadAttemptStarted',
  summary: 'A call to a lead was placed, or a message was handed over.',
  data: z.object({
    ...attempt,
    reference: z.string().describe("What the other service calls it: a call's or a message's id."),
  }),
});

const next = z
  .object({ contact_id: z.int().nullable(), due_at: z.string() })
  .nullable()
  .describe('When and to whom the campaign reaches out next; null when this was the last attempt.');

export const LeadAttemptEnded = defineEvent({
  ...lead,
  type: 'LeadAttemptEnded',
  summary: 'It is known what came of an attempt, and whether there will be another one.',
  personal: { mentions: ['reason'] },
  data: z.object({
    ...attempt,
    outcome: z.enum(['completed', 'no_answer', 'failed']),
    reason: z.string().nullable().describe('Why, in words for people; null where the outcome says it all.'),
    next,
  }),
});

export const LeadRetryDropped = defineEvent({
  ...lead,
  type: 'LeadRetryDropped',
  summary: 'A retry is not made: the campaign makes fewer attempts than when it was decided on.',
  data: z.object({ ...attempt, next }),
});

export const LeadAttemptCorrected = defineEvent({
  ...lead,
  type: 'LeadAttemptCorrected',
  summary:
    'A message was sent after all, of which nobody knew so for so long that its attempt had ended as failed: its provider told late.',
  data: z.object({
    ...attempt,
    reference: z.string().describe("What the other service calls it: a message's id."),
  }),
});

export const LeadReopened = defineEvent({
  ...lead,
  type: 'LeadReopened',
  summary: 'A lead whose attempts were over is reached out to again, as one that has just been added.',
  data: z.object({ campaign_id: z.int(), at }),
});

export type LeadEvent = EventOf<
  | typeof LeadCreated
  | typeof LeadPhoneNumberChanged
  | typeof LeadVariablesReplaced
  | typeof LeadDeleted
  | typeof LeadQueued
  | typeof LeadAttemptWithdrawn
  | typeof LeadAttemptStarted
  | typeof LeadAttemptEnded
  | typeof LeadRetryDropped
  | typeof LeadAttemptCorrected
  | typeof LeadReopened
>;
