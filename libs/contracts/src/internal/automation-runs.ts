import { z } from 'zod';
import { defineInternal } from './internal-message.ts';

/** One step as a run has it, or as a replay comes to it; null where it has none. */
const replayedStep = z.object({
  status: z.enum(['SUCCEEDED', 'FAILED', 'PAUSED', 'RUNNING']),
  input: z.json(),
  /** Of a branch: the one taken. */
  branch: z.string().nullable(),
  /** Begins with a stable code in brackets. */
  error: z.string().nullable(),
});

/**
 * Goes through a run's steps again without any effect: actions answer what is on record, or what a dry run of them
 * answers. Asked by operators. Rejected with `not_found` for an unknown run or version, or when its payloads are erased.
 */
export const replayRun = defineInternal({
  name: 'replay-run',
  kind: 'query',
  service: 'automations',
  input: z.object({
    run_id: z.uuid().toLowerCase(),
    /** `pinned` is the version that the run follows, `newest` the one that new runs take. */
    definition: z.enum(['pinned', 'newest']),
  }),
  output: z.object({
    run_id: z.string(),
    automation_id: z.int(),
    version: z.int(),
    recorded_status: z.string(),
    replayed_status: z.string(),
    /** In the order of the replay; those that only the recorded run has come last. */
    steps: z.array(
      z.object({
        path: z.string(),
        recorded: replayedStep.nullable(),
        replayed: replayedStep.nullable(),
        /** Where the output came from that the replay went on with. */
        output: z.enum(['recorded', 'dry_run']).nullable(),
        /** What differs between the two. */
        differs: z.array(z.enum(['missing', 'added', 'status', 'input', 'branch', 'error'])),
      }),
    ),
  }),
});
