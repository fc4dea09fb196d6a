import { z } from 'zod';
import { wholePerson } from '../person/person.ts';
import { defineOperatorMessage } from './operator-message.ts';

/**
 * Erases a person from the service (ADR 18): what it still does about them ends, their key is destroyed, and what was
 * derived is made anew. Runs in the background; follow it with `get-erasure`. What was erased before is gone over again.
 */
export const erasePerson = defineOperatorMessage({
  name: 'erase-person',
  kind: 'command',
  input: z.object({
    erasure_id: z.uuid(),
    account_id: z.int().positive(),
    /** Or what the chat platform calls a customer who hides it. */
    phone_number: z.string().regex(wholePerson),
  }),
  output: z.object({ started: z.literal(true) }),
});

export const getErasure = defineOperatorMessage({
  name: 'get-erasure',
  kind: 'query',
  input: z.object({ erasure_id: z.uuid() }),
  output: z.object({
    status: z.enum(['running', 'done', 'failed', 'never']),
    /** What is being done, for people. */
    step: z.string(),
    /** What stands for the person from now on: `erased:<id>`. */
    subject_ids: z.array(z.string()),
    /** Where the number still is: nobody erases these by themselves. */
    leftovers: z.array(z.object({ table: z.string(), rows: z.int() })),
    error: z.string().nullable(),
  }),
});

/**
 * What the erasure has destroyed is on the account's log: from now on nothing leads from the person's number to these
 * keys. Until then whoever erases the person again is told of them again.
 */
export const forgetErased = defineOperatorMessage({
  name: 'forget-erased',
  kind: 'command',
  input: z.object({ erasure_id: z.uuid() }),
  output: z.object({ forgotten: z.literal(true) }),
});
