import { z } from 'zod';
import { wholePerson } from '../person/person.ts';
import { defineOperatorMessage } from './operator-message.ts';
import { readEvents } from './read-events.ts';

/**
 * A page of what an account's log has of a person, in position order: each event of what is about them, as of a message
 * or a call, and each that something of theirs is sealed in. In these is nothing that is only others', who look as if
 * they had been erased. What erasing that person takes away is all here.
 */
export const readPersonEvents = defineOperatorMessage({
  name: 'read-person-events',
  kind: 'query',
  input: readEvents.input.pick({ after: true, limit: true }).extend({
    account_id: z.int().positive(),
    /** Or what the chat platform calls a customer who hides it. */
    phone_number: z.string().regex(wholePerson),
  }),
  output: readEvents.output,
});
