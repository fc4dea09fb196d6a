import { z } from 'zod';
import { leadStatuses } from '../campaign-terms.ts';
import { bodyId, pageNumber, pathId, perPage, textUpTo } from '../input/text.ts';
import { variables } from '../input/variables.ts';
import { defineOperation } from '../operation.ts';

const leads = {
  service: 'assistants',
  tag: 'Leads',
  errorShape: 'message',
} as const;
const oneLead = { ...leads, notFoundMessage: 'Lead not found' } as const;

const id = z.object({ id: pathId().describe('Of the lead.') });
const phoneNumber = textUpTo(32).describe('In E.164, for example `+442079460106`.');
const leadVariables = variables('What the assistant, the template or the SMS is filled with, by name.');
const status = z.enum(leadStatuses);
const timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  .meta({ description: 'UTC.', examples: ['2026-03-01 09:30:00'] });

const secondaryContact = z
  .object({
    id: z.int(),
    phone_number: z.string(),
    variables: z.record(z.string(), z.json()),
    status: status.describe('As that of the lead: of the last attempt to reach this one.'),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'SecondaryContact' });

/** The Lead resource (service-api, section 2). */
const lead = z
  .object({
    id: z.int(),
    campaign_id: z.int(),
    phone_number: z.string(),
    variables: z.record(z.string(), z.json()),
    status: status.describe('Of the last attempt: `created` before the first, `queued` while one waits.'),
    created_at: timestamp,
    updated_at: timestamp,
    campaign: z.object({ id: z.int(), name: z.string() }),
    secondary_contacts: z.array(secondaryContact),
  })
  .meta({ id: 'Lead' });
const answer = z.object({ message: z.string(), data: lead });

export const createLead = defineOperation({
  ...leads,
  name: 'create-lead',
  kind: 'command',
  method: 'POST',
  path: '/api/user/lead',
  summary: 'Add a lead to a campaign',
  description:
    'A phone number is in a campaign once, unless `allow_dupplicate` is true. The name is spelled this way. Only leads of call campaigns have secondary contacts: they are called one after the other when the lead itself was not reached in all its attempts.',
  notFoundMessage: 'Campaign not found',
  body: z.object({
    phone_number: phoneNumber,
    campaign_id: bodyId().describe('The campaign that reaches out to the lead.'),
    variables: leadVariables.nullish(),
    allow_dupplicate: z
      .boolean()
      .nullish()
      .describe('Adds the lead though the campaign has its number already.'),
    secondary_contacts: z
      .array(z.object({ phone_number: phoneNumber, variables: leadVariables.nullish() }))
      .max(1000)
      .nullish()
      .describe('Who is called next where nobody was reached, in this order; of call campaigns alone.'),
  }),
  example: {
    campaign_id: 1,
    phone_number: '+442079460106',
    variables: { first_name: 'Katherine', appointment: 'Friday 09:00' },
    secondary_contacts: [{ phone_number: '+442079460107' }],
  },
  success: { status: 200, schema: answer },
});

export const updateLead = defineOperation({
  ...oneLead,
  name: 'update-lead',
  kind: 'command',
  method: 'PUT',
  path: '/api/user/leads/{id}',
  summary: 'Change a lead',
  description: 'Only the fields sent are changed; `variables` replaces what was there.',
  params: id,
  body: z.object({
    phone_number: phoneNumber.optional(),
    variables: leadVariables.optional(),
  }),
  example: { id: 1, variables: { first_name: 'Ada', appointment: 'Monday 11:00' } },
  success: { status: 200, schema: answer },
});

export const reopenLead = defineOperation({
  ...oneLead,
  name: 'reopen-lead',
  kind: 'command',
  method: 'POST',
  path: '/api/user/leads/{id}/reopen',
  summary: 'Reach out to a lead again',
  description:
    'A lead that was completed, not reached or failed is reached out to as one that has just been added: from its first attempt, and its secondary contacts after it. 422 on `status` while it waits or is under way.',
  params: id,
  success: { status: 200, schema: answer },
});

export const deleteLead = defineOperation({
  ...oneLead,
  name: 'delete-lead',
  kind: 'command',
  method: 'DELETE',
  path: '/api/user/leads/{id}',
  summary: 'Remove a lead from its campaign',
  description: 'Its number can be added to the campaign again.',
  params: id,
  success: { status: 200, schema: z.object({ message: z.string() }) },
});

export const listLeads = defineOperation({
  ...leads,
  name: 'list-leads',
  kind: 'query',
  method: 'GET',
  path: '/api/user/leads',
  summary: 'List leads, newest first',
  description: 'With their secondary contacts; `status` is what came of the last attempt.',
  query: z.object({
    campaign_id: pathId().optional().describe('Only the leads of this campaign.'),
    status: status.optional().describe('Only leads in this state.'),
    page: pageNumber(),
    per_page: perPage(15),
  }),
  success: {
    status: 200,
    schema: z.object({ data: z.array(lead), current_page: z.int(), per_page: z.int(), total: z.int() }),
  },
});
