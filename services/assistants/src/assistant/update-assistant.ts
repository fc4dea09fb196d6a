import { type AssistantChange, type AssistantEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { type Assistant, assistant, living } from './assistant.ts';
import { eventsBetween } from './changes.ts';
import { type AssistantAnswer, summaryOf } from './create-assistant.ts';
import type { Facts } from './facts.ts';
import { numberClaims } from './numbers/number-claims.ts';
import { withoutDeleted } from './references/drop-references.ts';
import { changed } from './settings.ts';
import { numberTaken, settingsFault } from './settings-rules.ts';

export interface UpdateAssistant {
  readonly accountId: number;
  readonly change: AssistantChange;
}

/**
 * Succeeds without an event when nothing would change. References to what was deleted are dropped first, so that they
 * do not get an unrelated change refused.
 */
export function updateAssistant(
  state: Assistant,
  { accountId, change }: UpdateAssistant,
  facts: Facts,
): Decision<AssistantEvent, AssistantAnswer> | Rejection {
  const before = living(state);
  if (!before) return reject('not_found');
  const present = withoutDeleted(before, facts);
  const after = changed(present, change);
  const fault = settingsFault(present, after, facts);
  if (fault) return fault;
  const events = eventsBetween(before, after, change.status ?? before.status);
  return {
    events,
    claims: numberClaims({ accountId, id: before.id }, before, after),
    onClaimTaken: numberTaken,
    reply: {
      message: 'Assistant updated successfully',
      data: summaryOf(events.reduce(assistant.evolve, before) ?? before),
    },
  };
}
