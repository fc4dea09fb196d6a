import { z } from 'zod';
import { json, recordedEvent } from '../recorded-event.ts';
import { discardDeadLetter, listDeadLetters, retryDeadLetter } from './dead-letters.ts';
import { checkImport, importEvents, readBelongings, setStanding } from './imports.ts';
import { defineOperatorMessage } from './operator-message.ts';

export const readEvents = defineOperatorMessage({
  name: 'read-events',
  kind: 'query',
  input: z.object({
    after: z.int().nonnegative(),
    limit: z.int().min(1).max(1000),
    stream_id: z.string().optional(),
    types: z.array(z.string()).optional(),
    account_id: z.int().optional(),
    /** Only those of any of these accounts. */
    account_ids: z.array(z.int()).max(1000).optional(),
    /** Only those at these positions, which are found however far they are apart. */
    positions: z.array(z.int()).max(1000).optional(),
  }),
  output: z.object({
    events: z.array(recordedEvent),
    head: z.int(),
    reached: z
      .int()
      .optional()
      .describe(
        'The last position looked at: all that was asked for up to here is in this page and those before it.',
      ),
  }),
});

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

/**
 * Undoes one change of a resource of the account that asks, by the service's own command with the message's command
 * id. Rejected with `not_found`, `not_revertible` and whatever that command says.
 */
export const revertEvent = defineOperatorMessage({
  name: 'revert-event',
  kind: 'command',
  input: z.object({ event_id: z.uuid() }),
  output: z.object({ resource: z.string(), event: z.string(), event_id: z.string(), restored: json }),
});

/** The service's events that one request led to, directly or not, oldest first; `account_id` narrows to one account's. */
export const findTrace = defineOperatorMessage({
  name: 'find-trace',
  kind: 'query',
  input: z.object({ request_id: z.string(), account_id: z.int().optional() }),
  output: z.object({ events: z.array(recordedEvent), is_cut: z.boolean() }),
});

/**
 * Sends the log to JetStream again from a position on, with the same ids. Answered once the first of it is there: from then
 * on the position of `get-publication` tells how far it is.
 */
export const publishAgain = defineOperatorMessage({
  name: 'publish-events',
  kind: 'command',
  input: z.object({ from: z.int().positive() }),
  output: z.object({
    /** The newest event, up to which it is sent again; what comes later follows as ever. */
    until: z.int(),
  }),
});

/** How far JetStream has the log: position (which goes back when it is sent again) and sequence of its newest message. */
export const getPublication = defineOperatorMessage({
  name: 'get-publication',
  kind: 'query',
  input: z.object({}),
  output: z.object({ position: z.int(), sequence: z.int(), head: z.int() }),
});

/** Which resources a service knows (`folder`, `label`): how `parley audit folder/12` finds its service. */
export const listResources = defineOperatorMessage({
  name: 'list-resources',
  kind: 'query',
  input: z.object({}),
  output: z.object({ resources: z.array(z.string()) }),
});

/**
 * Whether somebody owns what is called so in the database of the service: a copy that starts asks this about what it owns
 * itself, since whoever answers there must see it.
 */
export const isOwned = defineOperatorMessage({
  name: 'is-owned',
  kind: 'query',
  input: z.object({ name: z.string().max(200) }),
  output: z.object({ owned: z.boolean() }),
});

/** Moves the platform clock of one service to an absolute offset; only sandbox stacks answer it. */
export const advanceClock = defineOperatorMessage({
  name: 'advance-clock',
  kind: 'command',
  input: z.object({ offset_seconds: z.number().nonnegative() }),
  output: z.object({ now: z.string() }),
});

export const operatorMessages = {
  readEvents,
  listProjections,
  rebuildProjection,
  verifyProjection,
  getVerification,
  getState,
  getHistory,
  locateEvent,
  revertEvent,
  findTrace,
  listResources,
  isOwned,
  advanceClock,
  publishAgain,
  getPublication,
  readBelongings,
  checkImport,
  importEvents,
  setStanding,
  listDeadLetters,
  retryDeadLetter,
  discardDeadLetter,
} as const;
