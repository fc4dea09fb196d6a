import { z } from 'zod';
import { explainedEvent } from '../history/explained-event.ts';
import { asOf, pageParameter, pathTextId, text } from '../input/text.ts';
import { defineOperation } from '../operation.ts';

const runs = {
  service: 'automations',
  tag: 'Automation runs',
  notFoundMessage: 'Automation not found',
} as const;

const id = pathTextId().describe('Of the automation.');
/** Anything that is no run's id is the id of no run. */
const runId = text().describe('Of the run.');

const runStatus = z.enum(['SUCCEEDED', 'FAILED', 'PAUSED', 'RUNNING']);
export type RunStatus = z.output<typeof runStatus>;
const runSummary = z
  .object({
    id: z.uuid(),
    status: runStatus,
    start_time: z.iso.datetime().describe('With milliseconds; a retry does not change it.'),
    duration_ms: z
      .int()
      .describe('Time spent working, in milliseconds; neither delays nor the time it was failed.'),
  })
  .meta({ id: 'RunSummary' });
const runStep = z
  .object({
    name: z.string().describe('As in the definition; its id where that gives none.'),
    status: runStatus,
    classification: z
      .enum(['ok', 'paused_at_delay', 'wiring_error', 'missing_connection', 'missing_record'])
      .describe('What went wrong, by its kind: `wiring_error` is whatever is neither connection nor record.'),
    error: z
      .string()
      .nullable()
      .describe('Begins with a stable code in brackets, for example `[TEMPLATE_NOT_FOUND]`.'),
    id: z.string(),
    path: z.string().describe('The ids that lead to it, branches included.'),
    type: z.string(),
    attempts: z.int(),
  })
  .meta({ id: 'RunStep' });
const retryReason = z.enum([
  'running',
  'under_way',
  'paused',
  'succeeded',
  'payloads_erased',
  'version_gone',
  'too_old',
  'after_delay',
  'limit_reached',
]);
const retryPreview = z.object({
  possible: z.boolean(),
  reason: retryReason.nullable().describe('Why not; null when it is possible.'),
  from_step: z
    .string()
    .nullable()
    .describe('The id of the step it would go on from; null when it is not possible.'),
});
const runDetail = runSummary
  .extend({
    automation_id: z.string(),
    version: z.int(),
    steps: z.array(runStep).describe('Those that were started, in the order of their execution.'),
    waiting: z
      .object({
        until: z.iso.datetime(),
        reason: z
          .string()
          .nullable()
          .describe('The code of the failure after which its step is tried again; null at a delay.'),
      })
      .nullable()
      .describe('Until when it waits; null while it works, or waits for its turn, and once it has ended.'),
    retries: z.int().describe('How often it was retried.'),
    retry: retryPreview,
  })
  .meta({ id: 'Run' });

export const listAutomationRuns = defineOperation({
  ...runs,
  errorShape: 'message',
  name: 'list-automation-runs',
  kind: 'query',
  method: 'GET',
  path: '/api/user/automate/flows/{id}/runs',
  summary: 'The runs of an automation, newest first, or one of them with its steps',
  description:
    'With `status` only those that are so now; with `before`, the id of a run, those that come after it in the list, so that the last one of a list asks for the next. With `as_of` (a timestamp or a position) as they were at that moment, without the two; `retry` is what a retry would have done then.',
  params: z.object({ id }),
  query: z.object({
    run_id: runId.optional().describe('Only this one, with its steps.'),
    limit: pageParameter(10, 1, 20).describe('How many are shown at most.'),
    status: runStatus.optional().describe('Only runs in this state.'),
    before: runId.optional().describe('The run after which the list goes on.'),
    as_of: asOf(),
  }),
  success: {
    status: 200,
    schema: z.union([z.object({ runs: z.array(runSummary) }), z.object({ run: runDetail })]),
  },
});

export const retryAutomationRun = defineOperation({
  ...runs,
  errorShape: 'coded',
  name: 'retry-automation-run',
  kind: 'command',
  method: 'POST',
  path: '/api/user/automate/flows/{id}/runs/{run_id}/retry',
  summary: 'Let a failed run go on from its failed step',
  description:
    'The same run goes on; steps that succeeded are not executed again. `retry_no_op` is for good, `retry_failed` is worth another try. When everything before the failed step is as it was, the newest version of the automation is used.',
  params: z.object({ id, run_id: runId }),
  rejections: ['retry_no_op', 'retry_failed'],
  success: {
    status: 200,
    schema: z.object({ run_id: z.uuid(), status: runStatus, note: z.string().describe('For people.') }),
  },
});

export const explainAutomationRetry = defineOperation({
  ...runs,
  errorShape: 'message',
  name: 'explain-automation-retry',
  kind: 'query',
  method: 'GET',
  path: '/api/user/automate/flows/{id}/runs/{run_id}/retry/explain',
  summary: 'What a retry of a run would do, or why it would be refused: every rule with its verdict',
  description: 'With `as_of` (a timestamp or a position): what it would have done at that moment.',
  params: z.object({ id, run_id: runId }),
  query: z.object({ as_of: asOf() }),
  success: {
    status: 200,
    schema: z.object({
      run_id: z.uuid(),
      status: runStatus,
      retry: retryPreview.extend({
        message: z.string().describe('For people.'),
        error: z
          .enum(['retry_no_op', 'retry_failed'])
          .nullable()
          .describe('What a retry would be answered with now.'),
        kept_steps: z.array(z.string()).describe('Ids of steps that succeeded and stay as they are.'),
        would_repeat: z.array(z.string()).describe('Ids of steps that a retry executes again.'),
        valid_until: z.iso
          .datetime()
          .nullable()
          .describe('Until when a retry is possible; null for a run that did not fail.'),
        version_from: z.int().describe('The version of the automation that the run has.'),
        version_to: z.int().describe('The one that it would go on with.'),
        rules: z
          .array(
            z.object({
              rule: z.string().describe('For programs; `explanation` is for people.'),
              verdict: z.enum(['passed', 'failed']),
              reason: retryReason.nullable(),
              error: z
                .enum(['retry_no_op', 'retry_failed'])
                .nullable()
                .describe('What a retry is answered with when this rule is the first that fails.'),
              explanation: z.string(),
              event: explainedEvent
                .nullable()
                .describe('The event behind the verdict; null when nothing has happened.'),
              flips_at: z.iso
                .datetime()
                .nullable()
                .describe('When time alone makes the verdict the opposite; null when it does not.'),
            }),
          )
          .describe('In the order in which they are judged: the first that failed is the answer of a retry.'),
      }),
    }),
  },
});
