import type { ChatEvent } from '@parley/contracts';
import { z } from 'zod';
import { contactOf, epochSeconds, id, isoTime, list, number, userId, valid } from './fields.ts';

/** What a customer has chosen in the platform's app about messages of a number. */
const preference = z.object({
  wa_id: number,
  user_id: userId,
  category: z.literal('marketing_messages'),
  value: z.enum(['stop', 'resume']),
  timestamp: epochSeconds,
});

const value = z.object({ metadata: z.object({ phone_number_id: id(64) }), user_preferences: list });

/** Which customers want no marketing messages any more, or want them again. */
export function readPreferences(change: unknown): ChatEvent[] {
  const parsed = value.safeParse(change).data;
  if (!parsed) return [];
  const { phone_number_id } = parsed.metadata;
  return valid(preference, parsed.user_preferences).flatMap((told): ChatEvent[] => {
    const contact = contactOf(told.wa_id, told.user_id);
    if (contact === undefined) return [];
    const at = isoTime(told.timestamp);
    // The platform has no id of it. This one, which is on record as the cause, tells of nobody: they may be erased.
    const common = { id: `marketing:${told.value}:${at}`, phone_number_id, contact, at };
    return [{ ...common, type: 'marketing_preference_changed', is_stopped: told.value === 'stop' }];
  });
}
