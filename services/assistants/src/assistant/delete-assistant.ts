import { type AssistantEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { type Assistant, living } from './assistant.ts';
import { numberClaims } from './numbers/number-claims.ts';

/**
 * Deletes an assistant: it is gone from every list, and its number is free for another one. Its history and its state
 * stay for operators.
 */
export function deleteAssistant(
  state: Assistant,
  { accountId, now }: { readonly accountId: number; readonly now: Date },
): Decision<AssistantEvent, { readonly message: string }> | Rejection {
  const present = living(state);
  if (!present) return reject('not_found');
  return {
    events: [{ type: 'AssistantDeleted', data: { deleted_at: now.toISOString() } }],
    claims: numberClaims({ accountId, id: present.id }, present, null),
    reply: { message: 'Assistant deleted successfully' },
  };
}
