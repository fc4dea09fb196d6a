import { z } from 'zod';
import { defineOperatorMessage } from './operator-message.ts';

/**
 * Whether any copy holds the ownership (an advisory lock) of this name in the database of the copy that answers. A copy that
 * starts asks about a name that it has just taken: "no" means that the running copies use another database.
 */
export const isOwned = defineOperatorMessage({
  name: 'is-owned',
  kind: 'query',
  input: z.object({ name: z.string().max(200) }),
  output: z.object({ owned: z.boolean() }),
});
