import { z } from 'zod';
import { defineEvent, type EventOf, earlierVersion } from '../history/event.ts';

const run = { service: 'automations', category: 'run', version: 1 } as const;

/** On the platform clock; never before that of an earlier event of the run. */
const at = z.iso.datetime();
/** Where a payload is kept, beside the log: payloads hold what belongs to people, and can be erased. */
const ref = z.uuid();
const step = {
  step: z.string().describe("The step's id in the definition."),
  path: z.string().describe('The ids from the root of the definition, branches included.'),
};
const failureClass = z.enum(['wiring_error', 'missing_connection', 'missing_record']);

export const RunStarted = defineEvent({
  ...run,
  type: 'RunStarted',
  summary: 'A trigger started a run of an automation.',
  data: z.object({
    run_id: z.uuid(),
    automation_id: z.int(),
    version: z.int().describe('Of the definition; edits do not change a run that is under way.'),
    definition_hash: z.string(),
    trigger: z.object({
      type: z.string(),
      event_id: z.string(),
      payload_ref: ref,
      payload_hash: z.string(),
      payload_bytes: z.int(),
    }),
    chain_depth: z.int().describe('How many runs caused each other before this one.'),
    settings: z.object({
      max_concurrent_runs: z.int(),
      retry_max_age_ms: z.int(),
      retry_after_delay: z.enum(['allow', 'refuse']),
      use_repaired_version: z.boolean(),
    }),
    at,
  }),
});

export const StepStarted = defineEvent({
  ...run,
  type: 'StepStarted',
  summary: 'A step of a run was started.',
  data: z.object({
    ...step,
    type: z.string(),
    attempt: z.int().describe('From 1; anew after a retry.'),
    takeover: z.int().describe('How often other processes took the attempt over from one that died.'),
    effect: z.enum(['pure', 'local', 'keyed', 'unkeyed']),
    effect_key: z.uuid().describe('The same at every attempt, takeover and retry.'),
    input_ref: ref.nullable(),
    input_hash: z.string().nullable(),
    input_bytes: z.int(),
    at,
  }),
});

export const StepSucceeded = defineEvent({
  ...run,
  type: 'StepSucceeded',
  summary: 'A step of a run succeeded.',
  data: z.object({
    ...step,
    output_ref: ref.nullable(),
    output_hash: z.string().nullable(),
    output_bytes: z.int(),
    ms: z.int().describe('Time spent working.'),
    branch: z.string().nullable().describe('Of a branch: the one taken, null when none held.'),
    provider_ref: z.string().nullable(),
    at,
  }),
});

export const StepRetryScheduled = defineEvent({
  ...run,
  type: 'StepRetryScheduled',
  summary: 'A step of a run failed for now and is tried again later.',
  personal: { mentions: ['message'] },
  data: z.object({
    ...step,
    attempt: z.int(),
    counts: z.boolean().describe('A limit that says when to come back uses up no attempt.'),
    code: z.string(),
    message: z.string(),
    after_ms: z.int(),
    ms: z.int(),
    at,
  }),
});

export const StepFailed = defineEvent({
  ...run,
  type: 'StepFailed',
  summary: 'A step of a run failed.',
  personal: { mentions: ['message'] },
  data: z.object({
    ...step,
    code: z.string(),
    class: failureClass,
    message: z.string(),
    definite: z.boolean().describe('Certain that nothing happened.'),
    attempts: z.int(),
    ms: z.int(),
    at,
  }),
});

export const RunPaused = defineEvent({
  ...run,
  type: 'RunPaused',
  summary: 'A run waits at a delay.',
  data: z.object({ ...step, until: at, gen: z.int(), at }),
});

export const RunResumed = defineEvent({
  ...run,
  type: 'RunResumed',
  summary: 'The delay of a run is over.',
  data: z.object({ ...step, gen: z.int(), reason: z.enum(['timer', 'manual']), late_ms: z.int(), at }),
});

export const RunFailed = defineEvent({
  ...run,
  type: 'RunFailed',
  summary: 'A run failed.',
  data: z.object({ ...step, code: z.string(), class: failureClass, at }),
});

export const RunSucceeded = defineEvent({
  ...run,
  type: 'RunSucceeded',
  summary: 'A run succeeded.',
  data: z.object({ steps: z.int(), at }),
});

export const RetryRequested = defineEvent({
  ...run,
  type: 'RetryRequested',
  summary: 'Somebody asked for a failed run to be retried.',
  data: z.object({ command_id: z.uuid().nullable(), at }),
});

const retried = {
  from_step: z.string().describe('Its path.'),
  version_from: z.int(),
  version_to: z.int().describe('Another one when the automation was repaired from the failed step on.'),
  definition_hash: z.string(),
  kept_steps: z.int(),
  epoch: z.int(),
  at,
};

export const RunRetried = defineEvent({
  ...run,
  type: 'RunRetried',
  version: 2,
  summary: 'A failed run goes on from its failed step.',
  data: z.object({
    ...retried,
    is_fresh_start: z
      .boolean()
      .nullable()
      .describe(
        'Certain that the step has done nothing: what it requests has another `Idempotency-Key` from here on; null where nobody noted it, and it kept the one it had.',
      ),
  }),
  earlier: [earlierVersion(z.object(retried), (data) => ({ ...data, is_fresh_start: null }))],
});

export const RunPayloadsErased = defineEvent({
  ...run,
  type: 'RunPayloadsErased',
  summary: 'What a run worked on was erased; it cannot be retried any more.',
  data: z.object({ run_id: z.uuid(), why: z.enum(['retention', 'request']), at }),
});

export type RunEvent = EventOf<
  | typeof RunStarted
  | typeof StepStarted
  | typeof StepSucceeded
  | typeof StepRetryScheduled
  | typeof StepFailed
  | typeof RunPaused
  | typeof RunResumed
  | typeof RunFailed
  | typeof RunSucceeded
  | typeof RetryRequested
  | typeof RunRetried
  | typeof RunPayloadsErased
>;
