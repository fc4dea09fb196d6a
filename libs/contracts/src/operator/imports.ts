import { z } from 'zod';
import { recordedEvent } from '../history/recorded-event.ts';
import { defineOperatorMessage } from './operator-message.ts';

/** A name that a stream holds, so that no other can have it. */
export const heldName = z.object({ scope: z.string(), key: z.string(), owner: z.string() });
/** What an owner that is one decision of a stream, such as `lead-7/3`, has behind the stream's name. */
export const decisionOfStream = /\/[0-9]+$/;

/** The next number of each sequence that ids come from. */
export const nextIds = z.record(z.string().regex(/^[a-z][a-z0-9_]{0,50}$/), z.int().positive());

/** An event as it travels between installations: its place in a log is the log's own. */
export const travellingEvent = recordedEvent.omit({ position: true });

/** What an account's events alone do not say: the names its streams hold, by pages; and the ids given out. */
export const readBelongings = defineOperatorMessage({
  name: 'read-belongings',
  kind: 'query',
  input: z.object({
    account_id: z.int().positive(),
    after: heldName.pick({ scope: true, key: true }).nullable(),
    /** So many names at most; a page may have fewer, or none, and not be the last. */
    limit: z.int().min(1).max(1000),
    /** What streams hold that changed after this position; all the account's when absent. */
    changed_since: z.int().nonnegative().optional(),
  }),
  output: z.object({
    names: z.array(heldName),
    /** Where the next page begins, as names are kept and not as they are read; null after the last page. */
    after: heldName.nullable(),
    next_ids: nextIds,
    /** The log's position that the page is of; older copies do not say. */
    head: z.int().optional(),
  }),
});

/** Which of these streams exist, and what newest event any import has to come after. */
export const checkImport = defineOperatorMessage({
  name: 'check-import',
  kind: 'query',
  input: z.object({ account_ids: z.array(z.int()), stream_ids: z.array(z.string()).max(1000) }),
  output: z.object({
    streams: z.array(z.object({ stream_id: z.string(), version: z.int(), account_id: z.int().nullable() })),
    /** Of these accounts. */
    has_events: z.boolean(),
    /** Of the newest event of the log; null when it is empty. */
    newest_at: z.string().nullable(),
    /** What time it is there; older copies do not say. */
    now: z.string().optional(),
    next_ids: nextIds,
    /** Those of the accounts whose import began here and has not come to its end. */
    unfinished: z.array(z.int()),
  }),
});

/**
 * Appends events as they were once recorded: ids, versions and times as they are. Those that are there already are passed
 * over, and so are names once the import has come to its end. All or nothing; rejected with `validation_failed` when an
 * event does not follow its predecessors.
 */
export const importEvents = defineOperatorMessage({
  name: 'import-events',
  kind: 'command',
  input: z.object({
    events: z.array(travellingEvent).max(500),
    names: z.object({ account_id: z.int(), held: z.array(heldName) }),
    next_ids: nextIds,
  }),
  output: z.object({ imported: z.int(), present: z.int() }),
});

/**
 * Once everything that was imported is in, in every service: an account's timers that stand as long as what they belong to
 * are set, so that its senders, schedules and campaigns go on. That is the end of its import. May be repeated.
 */
export const setStanding = defineOperatorMessage({
  name: 'set-standing',
  kind: 'command',
  input: z.object({ account_id: z.int().positive() }),
  output: z.object({}),
});
