import type { Sender } from './sender.ts';

/**
 * A sender as the API shows it. Lists take the same JSON from `itemColumn`, which the database keeps with each row:
 * both must have the same keys in the same order, so that all answers have the same bytes.
 */
export const toItem = (sender: NonNullable<Sender>) => ({
  id: sender.id,
  phone_number: sender.phoneNumber,
  display_name: sender.displayName,
  status: sender.status,
  quality_rating: sender.qualityRating,
  messaging_limit: sender.messagingLimit,
  messaging_limit_formatted: formatLimit(sender.messagingLimit),
  voice_calling_enabled: sender.voiceCallingEnabled,
  assistant_id: sender.assistantId,
});

/**
 * A sender as its history shows it: without the field that only repeats another, which would appear as a second change.
 */
export function showSender(state: Sender) {
  if (!state) return null;
  const { messaging_limit_formatted: _, ...shown } = toItem(state);
  return shown;
}

const formatLimit = (limit: number | null): string => (limit === null ? 'Unlimited' : `${limit} / 24hr`);

/** SQL of the item. `display_name_json` is the name as JSON text; the other texts need no escaping. */
export const itemColumn = `
  '{"id":' || id::text || ',"phone_number":"' || phone_number || '","display_name":' || display_name_json
    || ',"status":"' || status || '","quality_rating":"' || quality_rating
    || '","messaging_limit":' || coalesce(messaging_limit::text, 'null')
    || ',"messaging_limit_formatted":"' || coalesce(messaging_limit::text || ' / 24hr', 'Unlimited')
    || '","voice_calling_enabled":' || case when voice_calling_enabled then 'true' else 'false' end
    || ',"assistant_id":' || coalesce(assistant_id::text, 'null') || '}'`;
