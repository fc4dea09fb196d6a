import { z } from 'zod';
import { defineOperatorMessage } from './operator-message.ts';

/** Moves the platform clock of one service to an absolute offset; only sandbox stacks answer it. */
export const advanceClock = defineOperatorMessage({
  name: 'advance-clock',
  kind: 'command',
  input: z.object({ offset_seconds: z.number().nonnegative() }),
  output: z.object({ now: z.string() }),
});
