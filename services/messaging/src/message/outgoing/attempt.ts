import type { Cause, Hold } from '@parley/service-kit';
import type { Draft } from '../draft/draft.ts';
import type { Checked } from './message-check.ts';

/** A message while it is being sent; `hold` is null when it costs nothing. */
export interface Attempt {
  readonly draft: Draft;
  readonly cause: Cause;
  readonly messageId: number;
  readonly chatappMessageId: number;
  readonly hold: Hold | null;
}

/** The message as its check timer knows it. */
export const checkedOf = ({ cause, messageId, hold }: Attempt): Checked => ({
  message_id: messageId,
  hold_id: hold?.holdId ?? null,
  command_id: cause.command?.commandId ?? null,
});
