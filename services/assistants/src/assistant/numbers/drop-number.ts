import type { AssistantEvent } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { type Assistant, living } from '../assistant.ts';
import { numberClaims } from './number-claims.ts';

/** Takes a number that is gone from the assistant that has it; no event when the assistant has another one by now. */
export function dropNumber(
  state: Assistant,
  { accountId, phoneNumberId }: { readonly accountId: number; readonly phoneNumberId: number },
): Decision<AssistantEvent> {
  const present = living(state);
  if (present?.phone_number_id !== phoneNumberId) return { events: [], reply: '{}' };
  const owner = { accountId, id: present.id };
  return {
    events: [{ type: 'AssistantNumberChanged', data: { phone_number_id: null } }],
    claims: numberClaims(owner, present, { ...present, phone_number_id: null }),
    reply: '{}',
  };
}
