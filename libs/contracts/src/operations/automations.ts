import { z } from 'zod';
import { automationTriggerTypes } from '../automation/triggers.ts';
import { asOf, bodyId, pathId, pathTextId, writtenUpTo } from '../input/text.ts';
import { variables } from '../input/variables.ts';
import { defineOperation } from '../operation.ts';

const automations = {
  service: 'automations',
  tag: 'Automations',
  errorShape: 'coded',
} as const;
const oneAutomation = { ...automations, notFoundMessage: 'Automation not found' } as const;

const params = z.object({ id: pathTextId().describe('Of the automation.') });
const name = writtenUpTo(255).describe('For people.');
const timestamp = z.iso.datetime();
/** Checked by the service, which names each field that is wrong: `/schemas/automation.json` describes it. */
const flow = variables('The definition: `/schemas/automation.json` describes it.');

const status = z.enum(['enabled', 'disabled']);
const binding = z.object({
  trigger: z.enum(automationTriggerTypes as [string, ...string[]]),
  assistant_id: z.int().nullable().describe('What the trigger is restricted to; null where it is not.'),
  campaign_id: z.int().nullable(),
  sender_id: z.int().nullable(),
  automation_id: z.int().nullable().optional().describe('Of a `run.failed` trigger alone.'),
});
const webhookUrl = z
  .string()
  .nullable()
  .describe(
    'Where a `webhook.inbound` trigger takes events, as `receiveAutomationWebhook` says; null with another one.',
  );
const summary = z
  .object({ id: z.string(), name: z.string(), status, binding })
  .meta({ id: 'AutomationSummary' });
const detail = summary
  .extend({
    version: z.int(),
    webhook_url: webhookUrl,
    flow: z.record(z.string(), z.json()).describe('The definition of that version.'),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Automation' });

/** What a trial with a sample event came to. */
const test = z
  .object({
    run_id: z.uuid().nullable().describe('Of a real run; null for a dry one.'),
    matches: z.boolean().describe("Whether the trigger's filter would let the sample through."),
    steps: z
      .array(
        z.object({
          name: z.string(),
          path: z.string(),
          type: z.string(),
          input: z.json(),
          output: z.json(),
          error: z.string().nullable(),
        }),
      )
      .describe('Of a dry run: in the order of execution, up to the first that fails.'),
  })
  .meta({ id: 'AutomationTest' });

const envelope = {
  assistant_id: bodyId()
    .nullish()
    .describe(
      "Restricts a `call.completed` trigger; with `bind_webhook`, whose calls come to the automation's webhook.",
    ),
  bind_webhook: z
    .boolean()
    .nullish()
    .describe(
      'Makes the webhook of a `webhook.inbound` trigger that of the assistant, and of no other one any more; `false`: of none.',
    ),
  sample: z
    .json()
    .optional()
    .describe('An event to try the automation with once it is saved: the answer holds what came of it.'),
  confirm_side_effects: z
    .boolean()
    .nullish()
    .describe('The trial is a real run, whose steps do what they say.'),
};

export const listAutomations = defineOperation({
  ...automations,
  name: 'list-automations',
  kind: 'query',
  method: 'GET',
  path: '/api/user/automate/flows',
  summary: 'List automations, newest first',
  description: 'All of them, those that are turned off too, without their definitions.',
  success: { status: 200, schema: z.object({ data: z.array(summary) }) },
});

export const getAutomation = defineOperation({
  ...oneAutomation,
  name: 'get-automation',
  kind: 'query',
  method: 'GET',
  path: '/api/user/automate/flows/{id}',
  summary: 'An automation with its definition',
  description:
    'With `version` the definition of that version; the rest is as it is now. With `as_of` (a timestamp or a position) as it was at that moment.',
  params,
  query: z.object({
    version: pathId().optional().describe('Whose definition is shown; the newest when absent.'),
    as_of: asOf(),
  }),
  isVersioned: true,
  success: { status: 200, schema: z.object({ data: detail }) },
});

export const createAutomation = defineOperation({
  ...automations,
  name: 'create-automation',
  kind: 'command',
  method: 'POST',
  path: '/api/user/automate/flows',
  summary: 'Create an automation',
  description:
    '`flow` is the definition (`/schemas/automation.json`); everything that can be known to be wrong with it is told by field. `assistant_id` restricts a `call.completed` trigger to calls of that assistant; with `bind_webhook` its calls come to the webhook of a `webhook.inbound` trigger. With a `sample` event the automation is tried: nothing happens outside, unless `confirm_side_effects` asks for a real run. A replay with the same Idempotency-Key shows `webhook_url: null` once the automation was deleted: its secret is gone.',
  body: z.object({
    name,
    flow,
    enabled: z.boolean().nullish().describe('Whether events start runs; true when absent.'),
    ...envelope,
  }),
  invalidErrorCode: 'invalid_definition',
  rejections: ['invalid_definition', 'no_steps', 'unsupported_trigger'],
  example: {
    name: 'Note who called',
    flow: {
      schema: 1,
      trigger: { type: 'call.completed' },
      steps: [{ id: 'note', type: 'data.map', input: { caller: '{{trigger.customer_phone | e164}}' } }],
    },
  },
  success: {
    status: 201,
    schema: z.object({
      automation_id: z.string(),
      status,
      webhook_url: webhookUrl,
      message: z.string(),
      test: test.optional().describe('Present when there was a sample.'),
    }),
  },
});

export const updateAutomation = defineOperation({
  ...oneAutomation,
  name: 'update-automation',
  kind: 'command',
  method: 'PUT',
  path: '/api/user/automate/flows/{id}',
  summary: 'Rename, turn on or off, or redefine an automation',
  description:
    'A changed definition is a new version, which new runs take; runs under way keep the version they began with. A replay shows `webhook_url` as one of the creation does.',
  params,
  body: z
    .object({
      name: name.optional(),
      enabled: z.boolean().optional().describe('Whether events start runs.'),
      flow: flow.optional(),
      ...envelope,
    })
    .refine((body) => body.name !== undefined || body.enabled !== undefined || body.flow !== undefined, {
      path: ['flow'],
      error: 'At least one of name, enabled and flow is required.',
    }),
  invalidErrorCode: 'invalid_definition',
  rejections: ['invalid_definition', 'no_steps', 'unsupported_trigger'],
  example: { id: '1', name: 'Missed calls' },
  success: {
    status: 200,
    schema: z.object({
      data: z.object({ id: z.string(), name: z.string(), status, version: z.int() }),
      webhook_url: webhookUrl,
      test: test.optional().describe('Present when there was a sample.'),
    }),
  },
});

export const deleteAutomation = defineOperation({
  ...oneAutomation,
  name: 'delete-automation',
  kind: 'command',
  method: 'DELETE',
  path: '/api/user/automate/flows/{id}',
  summary: 'Delete an automation',
  description: 'Its runs under way end, and none of its runs is shown any more.',
  params,
  success: { status: 200, schema: z.object({ message: z.string() }) },
});

export const testAutomation = defineOperation({
  ...oneAutomation,
  name: 'test-automation',
  kind: 'command',
  method: 'POST',
  path: '/api/user/automate/flows/{id}/test',
  summary: 'Try an automation with a sample event',
  description:
    'Without `confirm_side_effects` nothing happens outside: the steps that would run are answered, with their inputs filled in. With it a real run starts, whose steps do what they say.',
  params,
  body: z.object({
    sample: variables('The event, as the trigger would have it; an empty one when absent.').optional(),
    confirm_side_effects: envelope.confirm_side_effects,
  }),
  invalidErrorCode: 'invalid_definition',
  example: {
    id: '1',
    sample: {
      status: 'no_answer',
      customer_phone: '+442079460101',
      call_back: 'now',
      lead: { id: 1, variables: { first_name: 'Ada' } },
    },
    confirm_side_effects: true,
  },
  success: {
    status: 200,
    schema: test,
  },
});
