import { z } from 'zod';
import { defineOperatorMessage } from './operator-message.ts';

/** Every projection of the service with its position in the log and what is being done to it. */
export const listProjections = defineOperatorMessage({
  name: 'list-projections',
  kind: 'query',
  input: z.object({}),
  output: z.object({
    projections: z.array(
      z.object({
        name: z.string(),
        version: z.int(),
        position: z.int(),
        head: z.int(),
        /** `live`, or what is being done to it right now. */
        status: z.enum(['live', 'rebuilding', 'verifying', 'failed']),
        /** Events handled by the rebuild or verification under way. */
        progress: z.int().nullable(),
        /** Why the last rebuild failed; null where its process ended, absent from older services. */
        error: z.string().nullish(),
        /** Always null: the appends of all copies write it. Older clients expect the field. */
        owner: z.string().nullable(),
      }),
    ),
  }),
});

/** Starts a blue-green rebuild; follow it with `list-projections`. Rejected with `not_found` or `contended`. */
export const rebuildProjection = defineOperatorMessage({
  name: 'rebuild-projection',
  kind: 'command',
  input: z.object({ projection: z.string() }),
  output: z.object({ started: z.literal(true) }),
});

/** Starts a verification: a rebuild into a shadow, compared row by row; read the outcome with `get-verification`. */
export const verifyProjection = defineOperatorMessage({
  name: 'verify-projection',
  kind: 'command',
  input: z.object({ projection: z.string() }),
  output: z.object({ started: z.literal(true) }),
});

/** What the last verification of a projection came to. */
export const getVerification = defineOperatorMessage({
  name: 'get-verification',
  kind: 'query',
  input: z.object({ projection: z.string() }),
  output: z.object({
    status: z.enum(['running', 'done', 'failed', 'never']),
    rows: z.int(),
    /** At most 100 rows that differ; `live` or `expected` is null where the row is missing on that side. */
    differences: z.array(
      z.object({
        table: z.string(),
        key: z.string(),
        live: z.string().nullable(),
        expected: z.string().nullable(),
      }),
    ),
    error: z.string().nullable(),
  }),
});
