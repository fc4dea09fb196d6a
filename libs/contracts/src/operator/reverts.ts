import { z } from 'zod';
import { json } from '../history/recorded-event.ts';
import { defineOperatorMessage } from './operator-message.ts';

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
