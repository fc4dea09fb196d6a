import type { ChatEvent } from '@parley/contracts';
import { z } from 'zod';
import { contactOf, epochSeconds, id, number, ofMessage, userId } from './fields.ts';

/** What the platform writes, in the customer's name, when they have another number. `from` is the one before. */
const moved = z.object({
  id: id(500),
  from: number,
  from_user_id: userId,
  timestamp: epochSeconds,
  type: z.literal('system'),
  system: z.object({
    /** With the number, or, of customers who hide it, with nothing but the platform's id of them, which changes as well. */
    type: z.enum(['user_changed_number', 'user_changed_user_id']),
    wa_id: number,
    user_id: userId,
    previous_user_id: userId,
  }),
});

/** That a customer has another number; nothing where the element of a notification does not tell of that. */
export function moveOf(phoneNumberId: string, element: unknown): ChatEvent[] {
  const told = moved.safeParse(element).data;
  if (!told) return [];
  const { from, from_user_id, system } = told;
  const contact = contactOf(from, system.previous_user_id ?? from_user_id);
  const moved_to = contactOf(system.wa_id, system.user_id);
  if (contact === undefined || moved_to === undefined || moved_to === contact) return [];
  return [{ ...ofMessage(phoneNumberId, contact, told), type: 'contact_moved', moved_to }];
}
