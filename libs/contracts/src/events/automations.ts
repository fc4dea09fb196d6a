import { z } from 'zod';
import { defineEvent, type EventOf, earlierVersion } from '../history/event.ts';

const automation = { service: 'automations', category: 'automation', version: 1 } as const;

const at = z.string();

export const AutomationCreated = defineEvent({
  ...automation,
  type: 'AutomationCreated',
  summary: 'An automation was created.',
  data: z.object({ id: z.int(), name: z.string(), at }),
});

export const AutomationRenamed = defineEvent({
  ...automation,
  type: 'AutomationRenamed',
  summary: 'An automation got another name.',
  data: z.object({ name: z.string(), at }),
});

export const AutomationDefinitionSaved = defineEvent({
  ...automation,
  type: 'AutomationDefinitionSaved',
  summary: 'An automation got a new version of its definition; runs under way keep theirs.',
  data: z.object({
    version: z.int().positive().describe('From 1.'),
    definition: z.record(z.string(), z.json()).describe('As it was checked (format 1); it holds no secret.'),
    hash: z.string().describe('Of the definition, in hexadecimal.'),
    at,
  }),
});

export const AutomationWebhookIssued = defineEvent({
  ...automation,
  type: 'AutomationWebhookIssued',
  summary: 'An automation got a webhook address of its own; the log knows the hash of its token only.',
  secrets: ['token_hash'],
  data: z.object({ token_hash: z.string() }),
});

export const AutomationActivated = defineEvent({
  ...automation,
  type: 'AutomationActivated',
  summary: 'An automation was turned on: from now on its trigger starts runs.',
  data: z.object({ version: z.int().positive(), at }),
});

export const AutomationDeactivated = defineEvent({
  ...automation,
  type: 'AutomationDeactivated',
  summary: 'An automation was turned off.',
  data: z.object({ at }),
});

export const AutomationDeleted = defineEvent({
  ...automation,
  type: 'AutomationDeleted',
  summary: 'An automation was deleted; its runs end.',
  data: z.object({ at }),
});

export const AutomationMomentsMissed = defineEvent({
  ...automation,
  type: 'AutomationMomentsMissed',
  summary: 'Moments of an automation’s schedule passed without a run, and are not made up for.',
  data: z.object({
    /** The first of them; ISO 8601, like all that follow. */
    first_at: z.string(),
    /** The next moment that counts; null when there is none. */
    next_at: z.string().nullable(),
    at,
  }),
});

const refused = {
  /** As in a definition, for example `lead.created`. */
  trigger: z.string(),
  event_id: z.string(),
  at,
};
/** Too many runs led to the event, or it holds more than a run may begin with. */
const refusedAtFirst = ['chain_too_deep', 'payload_too_large'] as const;

export const AutomationTriggerRefused = defineEvent({
  ...automation,
  type: 'AutomationTriggerRefused',
  version: 2,
  summary: 'An event that an automation listens to started no run. Of one reason one an hour is recorded.',
  data: z.object({
    ...refused,
    /** Or the request is not signed as the trigger wants it, or with a connection that is not there any more. */
    reason: z.enum([...refusedAtFirst, 'not_signed', 'connection_missing']),
  }),
  earlier: [earlierVersion(z.object({ ...refused, reason: z.enum(refusedAtFirst) }), (data) => data)],
});

export type AutomationEvent = EventOf<
  | typeof AutomationCreated
  | typeof AutomationRenamed
  | typeof AutomationDefinitionSaved
  | typeof AutomationWebhookIssued
  | typeof AutomationActivated
  | typeof AutomationDeactivated
  | typeof AutomationDeleted
  | typeof AutomationMomentsMissed
  | typeof AutomationTriggerRefused
>;
