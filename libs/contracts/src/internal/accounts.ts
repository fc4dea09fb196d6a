import { z } from 'zod';
import { explainedEvent } from '../history/explained-event.ts';
import { textUpTo, writtenUpTo } from '../input/text.ts';
import { defineInternal } from './internal-message.ts';

/** Integer millionths of the account's billing unit. */
const micros = z.int();
const positiveMicros = z.int().positive();
const holdId = z.uuid().toLowerCase();
const balance = z.object({ available_micros: micros, reserved_micros: micros });
/** `amount_micros` is what was reserved, captured, released or refunded. */
const holdBalance = balance.extend({ amount_micros: micros });

/**
 * Who a key belongs to. An answer is good for the request it was asked for; whoever keeps it needs `listDeletedApiKeys`.
 */
export const resolveApiKeys = defineInternal({
  name: 'resolve-api-keys',
  kind: 'query',
  service: 'accounts',
  input: z.object({
    token_hashes: z
      .array(z.string().regex(/^[0-9a-f]{64}$/))
      .min(1)
      .max(1000),
  }),
  output: z.object({
    /** In the order asked; `null` for a key that is unknown, deleted or expired. */
    keys: z.array(z.object({ api_key_id: z.int(), account_id: z.int(), expires: z.boolean() }).nullable()),
    /** The log's position that the answer is of: later deletions are not in it. */
    position: z.int(),
  }),
});

/**
 * Keys deleted since a position, and a lease: for `lease_ms` from before this was asked, no other key is acknowledged as
 * deleted, so what else is known of keys holds (ADR 20).
 */
export const listDeletedApiKeys = defineInternal({
  name: 'list-deleted-api-keys',
  kind: 'query',
  service: 'accounts',
  input: z.object({ after: z.int().min(0) }),
  output: z.object({
    /** All deletions up to here are told. */
    position: z.int(),
    /** `null` when `after` is too long ago or not of this log: nothing that is known may be kept. */
    deleted: z.array(z.int()).nullable(),
    lease_ms: z.int().min(0),
  }),
});

export const registerAccount = defineInternal({
  name: 'register-account',
  kind: 'command',
  service: 'accounts',
  input: z.object({ email: z.email(), name: writtenUpTo(255), billing_unit: z.enum(['credits', 'minutes']) }),
  output: z.object({ account_id: z.int() }),
});

/**
 * Issues a key for any account: how an operator and the demo get their first one. The token is told once: it is `null`
 * in the answer to a repetition. Rejected with `not_found` when there is no such account.
 */
export const issueApiKey = defineInternal({
  name: 'issue-api-key',
  kind: 'command',
  service: 'accounts',
  input: z.object({ account_id: z.int().positive(), name: writtenUpTo(255) }),
  output: z.object({ api_key_id: z.int(), token: z.string().nullable() }),
});

/** Records for the account which person was erased. Rejected with `not_found` when there is no such account. */
export const recordErasure = defineInternal({
  name: 'record-erasure',
  kind: 'command',
  service: 'accounts',
  input: z.object({
    erasure_id: z.uuid(),
    account_id: z.int().positive(),
    subject_ids: z.array(z.string()).max(1000),
  }),
  output: z.object({ erasure_id: z.uuid() }),
});

/** Money that an operator books. The command id is to be made of its reference: that books it once. */
const booking = z.object({
  account_id: z.int().positive(),
  amount_micros: positiveMicros,
  description: writtenUpTo(255),
  reference: writtenUpTo(255).nullable(),
});

export const topUpBalance = defineInternal({
  name: 'top-up-balance',
  kind: 'command',
  service: 'accounts',
  input: booking,
  output: balance,
});

/** Takes money off that was taken back or never came, whether it is there or not: the balance may go below zero. */
export const debitBalance = defineInternal({
  name: 'debit-balance',
  kind: 'command',
  service: 'accounts',
  input: booking,
  output: balance,
});

/** Sets the total (available and reserved) to a given value by an adjustment line; only sandbox stacks expose it. */
export const setBalance = defineInternal({
  name: 'set-balance',
  kind: 'command',
  service: 'accounts',
  input: z.object({ email: z.email(), total_micros: z.int().nonnegative() }),
  output: balance,
});

/**
 * Takes money aside for something about to happen. Rejected with `insufficient_balance` where less is available: nothing is given on credit;
 * with `retryAfterSeconds` where it is there, and set aside for something else.
 * What is done to a hold is done once for ever, whatever the command ids: a repetition gets the first answer, one with
 * another amount `idempotency_key_reuse`.
 */
export const reserveBalance = defineInternal({
  name: 'reserve-balance',
  kind: 'command',
  service: 'accounts',
  input: z.object({
    account_id: z.int().positive(),
    hold_id: holdId,
    amount_micros: positiveMicros,
    /**
     * For what is over already: taken from all that is there, also from what is set aside for something else; less where that
     * is less, and refused where nothing is there.
     */
    at_most: z.boolean().default(false),
    description: textUpTo(255),
    reference: textUpTo(255).nullable(),
  }),
  output: holdBalance,
});

/** Whether a reservation of so much would be made now, or at a moment of the past, by the rule that makes it. */
export const checkBalance = defineInternal({
  name: 'check-balance',
  kind: 'query',
  service: 'accounts',
  input: z.object({
    account_id: z.int().positive(),
    amount_micros: positiveMicros,
    at: z.iso.datetime({ offset: true }).optional(),
  }),
  output: z.object({
    is_enough: z.boolean(),
    /** Where it is not, but is there, and set aside for something else. */
    retry_after_seconds: z.number().optional(),
    available_micros: micros,
    /** With what is set aside for something else. */
    total_micros: micros,
    /** The newest that moved the balance; null while nothing has. */
    event: explainedEvent.nullable(),
  }),
});

/**
 * The thing happened: `amount_micros` (at most the reservation) becomes a ledger line, the rest is free again. Rejected
 * with `not_found` for an unknown hold, with `hold_settled` after a release.
 */
export const captureBalance = defineInternal({
  name: 'capture-balance',
  kind: 'command',
  service: 'accounts',
  input: z.object({
    account_id: z.int().positive(),
    hold_id: holdId,
    amount_micros: z.int().nonnegative(),
    /** Where less was reserved, that much. */
    at_most: z.boolean().default(false),
  }),
  output: holdBalance,
});

/**
 * The thing did not happen: the whole reservation is free again. One that was not made yet will not be made any more.
 * Rejected with `hold_settled` after a capture.
 */
export const releaseBalance = defineInternal({
  name: 'release-balance',
  kind: 'command',
  service: 'accounts',
  input: z.object({ account_id: z.int().positive(), hold_id: holdId }),
  output: holdBalance,
});

/**
 * What the hold was for came to nothing after all: a captured amount is given back by a line of the ledger, an open
 * reservation is free again. Rejected with `hold_settled` after a release.
 */
export const refundBalance = defineInternal({
  name: 'refund-balance',
  kind: 'command',
  service: 'accounts',
  input: z.object({
    account_id: z.int().positive(),
    hold_id: holdId,
    description: textUpTo(255),
    reference: textUpTo(255).nullable(),
  }),
  output: holdBalance,
});

/**
 * Takes one attempt from the account's sliding log of `operation`, on the platform clock, exactly over any number of
 * gateways and copies: a refused attempt consumes nothing. With `consume: false` it only tells how things stand.
 * No repeat protection: whoever gets no answer does not ask again.
 */
export const takeRateLimit = defineInternal({
  name: 'take-rate-limit',
  kind: 'command',
  service: 'accounts',
  input: z.object({
    account_id: z.int().positive(),
    operation: z.string().min(1).max(64),
    limits: z
      .array(
        z.object({
          name: z.string().min(1).max(64),
          max: z.int().positive(),
          window_ms: z.int().positive(),
        }),
      )
      .min(1)
      .max(8),
    consume: z.boolean(),
  }),
  output: z.object({
    allowed: z.boolean(),
    /** Of the limit that refuses longest, else of the one with the least left. */
    limit: z.object({ name: z.string(), max: z.int() }),
    remaining: z.int(),
    /** Seconds until an attempt is admitted again; 0 when this one is. */
    retry_after: z.int(),
    /** Unix second of the platform clock at which `limit` has one more to give. */
    reset_at: z.int(),
  }),
});
