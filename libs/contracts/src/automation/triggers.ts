import { z } from 'zod';
import { bodyId, textUpTo } from '../input/text.ts';
import { timeZone } from '../input/time-zone.ts';
import { automationCondition } from './conditions.ts';

/** An event that the filter does not match makes no run. */
const filter = automationCondition.optional();

const automationTriggers = {
  'lead.created': z.strictObject({
    type: z.literal('lead.created'),
    filter,
    campaign_id: bodyId().optional(),
  }),
  'conversation.message_received': z
    .strictObject({
      type: z.literal('conversation.message_received'),
      filter,
      sender_id: bodyId().optional(),
    })
    .describe(
      'A reaction to a message, and the deletion of one, start runs only where the filter looks at `trigger.message.type`.',
    ),
  'call.completed': z.strictObject({
    type: z.literal('call.completed'),
    filter,
    assistant_id: bodyId().optional(),
  }),
  call_permission_granted: z.strictObject({
    type: z.literal('call_permission_granted'),
    filter,
    sender_id: bodyId().optional(),
  }),
  'webhook.inbound': z.strictObject({
    type: z.literal('webhook.inbound'),
    filter,
    signature: z
      .strictObject({
        connection: textUpTo(64),
        header: z.string().regex(/^x-[a-z0-9-]{1,60}$/i, {
          error: 'The :attribute field must name a header that begins with x-.',
        }),
      })
      .optional()
      .describe(
        'The alias of an `hmac_sha256` connection: requests without its signature over the body are refused.',
      ),
  }),
  'run.failed': z
    .strictObject({
      type: z.literal('run.failed'),
      filter,
      automation_id: bodyId().optional().describe('Whose runs; those of every other automation when absent.'),
    })
    .describe('A run that this trigger started, of whichever automation, starts none when it fails.'),
  schedule: z.strictObject({
    type: z.literal('schedule'),
    filter,
    cron: textUpTo(100).describe('Five fields: minute, hour, day of the month, month, day of the week.'),
    timezone: timeZone().optional().describe("IANA; the automation's when absent."),
    misfire: z
      .enum(['skip', 'once'])
      .optional()
      .describe(
        'What becomes of a moment that passed more than five minutes ago, because nothing ran: `skip` when absent.',
      ),
  }),
} as const;

export type AutomationTriggerType = keyof typeof automationTriggers;
export const automationTriggerTypes = Object.keys(automationTriggers) as readonly AutomationTriggerType[];

export const automationTrigger = z.discriminatedUnion('type', [
  automationTriggers['lead.created'],
  automationTriggers['conversation.message_received'],
  automationTriggers['call.completed'],
  automationTriggers.call_permission_granted,
  automationTriggers['webhook.inbound'],
  automationTriggers['run.failed'],
  automationTriggers.schedule,
]);
export type AutomationTrigger = z.output<typeof automationTrigger>;
