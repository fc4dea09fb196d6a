import { z } from 'zod';
import { clockTime } from '../input/clock-time.ts';
import { textUpTo } from '../input/text.ts';
import { timeZone } from '../input/time-zone.ts';
import { type AutomationActionType, automationActionTypes } from './actions.ts';
import { type AutomationCondition, automationCondition } from './conditions.ts';
import { automationTrigger } from './triggers.ts';

/** The definition format, version 1: a tree, so that nothing dangles and nothing runs in circles. */

export const automationLimits = { steps: 100, depth: 5, bytes: 256 * 1024, maxDelayDays: 366 } as const;

const id = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,39}$/, {
  error: 'The :attribute field must begin with a letter and hold at most 40 letters, digits, _ and -.',
});
const isoDuration = /^P(?=.)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?$/;

const named = { id, name: textUpTo(255).optional() };

/** Business hours in the automation's time zone; `days` like `1-5`, `1,3,5`, `6-1`; 1 is Monday, 7 Sunday. */
const window = z.strictObject({
  days: z.string().regex(/^[1-7](-[1-7])?(,[1-7](-[1-7])?)*$/, {
    error: 'The :attribute field must be like 1-5 or 1,3,5; 1 is Monday and 7 Sunday.',
  }),
  from: clockTime,
  to: clockTime,
});

const delay = z.strictObject({
  ...named,
  type: z.literal('delay'),
  for: textUpTo(1000).optional().describe('ISO 8601 duration, at most 366 days, or a template.'),
  until: textUpTo(1000)
    .optional()
    .describe('ISO 8601 date and time, with an offset or a `[zone]`, else local; or a template.'),
  window: window.optional(),
});

const stop = z.strictObject({ ...named, type: z.literal('stop') });

const action = z.strictObject({
  ...named,
  type: z.enum(automationActionTypes as [AutomationActionType, ...AutomationActionType[]]),
  connection: textUpTo(64).optional(),
  input: z.record(z.string(), z.json()).optional(),
  retry: z.strictObject({ attempts: z.int().min(1).max(20) }).optional(),
  on_unknown: z
    .enum(['fail', 'repeat'])
    .optional()
    .describe(
      'What is done about an `http.request` whose process died on the way: `fail` when absent. One that had no answer in time is tried again as `retry` says.',
    ),
});

export type AutomationActionStep = z.output<typeof action>;
export type AutomationDelayStep = z.output<typeof delay>;
type AutomationStopStep = z.output<typeof stop>;
export interface AutomationBranchStep {
  readonly id: string;
  readonly name?: string | undefined;
  readonly type: 'branch';
  readonly branches: readonly {
    readonly id: string;
    readonly name?: string | undefined;
    readonly when: AutomationCondition;
    readonly steps: readonly AutomationStep[];
  }[];
  readonly else?: readonly AutomationStep[] | undefined;
}
export type AutomationStep =
  | AutomationActionStep
  | AutomationDelayStep
  | AutomationStopStep
  | AutomationBranchStep;

const steps: z.ZodType<readonly AutomationStep[]> = z.lazy(() => z.array(step).max(automationLimits.steps));
const branch = z.strictObject({
  ...named,
  type: z.literal('branch'),
  branches: z
    .array(z.strictObject({ ...named, when: automationCondition, steps }))
    .min(1)
    .max(20),
  else: steps.optional(),
});
const step = z.discriminatedUnion('type', [delay, stop, branch, action]).meta({ id: 'step' });

/** By alias. `id`: the sender's id, or a connection's (`7` or `con_7`). */
const connections = z.record(
  id,
  z.strictObject({
    kind: z.enum(['chatapp_sender', 'http_bearer', 'http_header', 'http_basic', 'hmac_sha256']),
    id: z.union([z.int().positive(), z.string().regex(/^con_[1-9]\d{0,14}$/)]),
  }),
);

const settings = z.strictObject({
  max_concurrent_runs: z.int().min(1).max(10_000).optional(),
  retry: z
    .strictObject({
      max_age: z
        .string()
        .regex(isoDuration, { error: 'The :attribute field must be an ISO 8601 duration.' })
        .optional(),
      after_delay: z.enum(['allow', 'refuse']).optional(),
      use_repaired_version: z.boolean().optional(),
    })
    .optional(),
  on_deactivate: z.enum(['finish', 'stop']).optional(),
});

export const automationDefinition = z
  .strictObject({
    schema: z.literal(1).optional(),
    name: textUpTo(255).optional(),
    timezone: timeZone().optional().describe('IANA; UTC when absent.'),
    trigger: automationTrigger,
    connections: connections.optional(),
    vars: z.record(z.string(), z.json()).optional().describe('Constants that templates read as `vars`.'),
    settings: settings.optional(),
    steps: steps.meta({ minItems: 1 }),
  })
  .meta({ title: 'Parley automation', description: 'The definition of an automation, format 1.' });
export type AutomationDefinition = z.output<typeof automationDefinition>;
