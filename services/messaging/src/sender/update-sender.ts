import { type Rejection, reject, type SenderEvent } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { SenderAnswer } from './connect-sender.ts';
import { type Sender, sender } from './sender.ts';
import { toItem } from './sender-item.ts';

/** Only what is given is changed; `assistantId: null` takes the assistant off. */
export interface UpdateSender {
  readonly displayName?: string | undefined;
  readonly assistantId?: number | null | undefined;
}

/** Renames a sender or changes its assistant; succeeds without an event when nothing would change. */
export function updateSender(
  state: Sender,
  { displayName, assistantId }: UpdateSender,
): Decision<SenderEvent, SenderAnswer> | Rejection {
  if (!state) return reject('not_found');
  const events: SenderEvent[] = [];
  if (displayName !== undefined && displayName !== state.displayName)
    events.push({ type: 'SenderRenamed', data: { display_name: displayName } });
  if (assistantId !== undefined && assistantId !== state.assistantId)
    events.push({ type: 'SenderAssistantChanged', data: { assistant_id: assistantId } });
  const after = events.reduce(sender.evolve, state) ?? state;
  return { events, reply: { data: toItem(after) } };
}
