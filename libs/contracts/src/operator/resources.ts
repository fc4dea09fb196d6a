import { z } from 'zod';
import { json } from '../history/recorded-event.ts';
import { defineOperatorMessage } from './operator-message.ts';

/** Which resources a service knows (`folder`, `label`): how `parley audit folder/12` finds its service. */
export const listResources = defineOperatorMessage({
  name: 'list-resources',
  kind: 'query',
  input: z.object({}),
  output: z.object({ resources: z.array(z.string()) }),
});

/** A moment: a version of the stream, a position of the log, or a time on the platform clock; the newest when empty. */
const moment = z.union([
  z.object({ version: z.int().nonnegative() }),
  z.object({ position: z.int().nonnegative() }),
  z.object({ time: z.iso.datetime({ offset: true }) }),
  z.object({}),
]);

/**
 * The folded state of one resource, for example `folder/12`, at a moment; `state` is null while, or once, there is
 * nothing. Rejected with `not_found`, and with `invalid` for what is no moment of the past.
 */
export const getState = defineOperatorMessage({
  name: 'get-state',
  kind: 'query',
  input: z.object({
    resource: z.string(),
    at: moment,
    /** Takes the place of `at`: a position or a time, as a caller wrote it. */
    as_of: z.string().optional(),
    /** Only when it belongs to this account; then `balance` alone is the account's own. */
    account_id: z.int().optional(),
  }),
  output: z.object({
    resource: z.string(),
    version: z.int(),
    position: z.int(),
    recorded_at: z.string().nullable(),
    state: z.json(),
  }),
});

/** Every change of one resource with the fields it changed: oldest first, or a page of them, newest first. */
export const getHistory = defineOperatorMessage({
  name: 'get-history',
  kind: 'query',
  input: z.object({
    resource: z.string(),
    /** Only when it belongs to this account; then `balance` alone is the account's own. */
    account_id: z.int().optional(),
    since: z.iso.datetime({ offset: true }).optional(),
    until: z.iso.datetime({ offset: true }).optional(),
    actor: z.string().optional(),
    types: z.array(z.string()).optional(),
    /**
     * At most `limit` changes that led to versions below `before_version`. A page ends its search after so many events:
     * it may hold few changes, or none, and not be the last one.
     */
    page: z
      .object({ before_version: z.int().positive().nullable(), limit: z.int().min(1).max(500) })
      .optional(),
  }),
  output: z.object({
    resource: z.string(),
    changes: z.array(
      z.object({
        event: z.string(),
        event_id: z.string(),
        summary: z.string(),
        version: z.int(),
        position: z.int(),
        occurred_at: z.string(),
        actor: z.object({ kind: z.string(), id: z.string() }),
        request_id: z.string(),
        caused_by: z.string(),
        before: json,
        after: json,
      }),
    ),
    /** `before_version` of the next page; null when there is none. */
    next_before: z.int().nullable().default(null),
  }),
});

/** The resource that an event belongs to. Rejected with `not_found`, also when it is another account's. */
export const locateEvent = defineOperatorMessage({
  name: 'locate-event',
  kind: 'query',
  input: z.object({ event_id: z.uuid(), account_id: z.int() }),
  output: z.object({ resource: z.string() }),
});
