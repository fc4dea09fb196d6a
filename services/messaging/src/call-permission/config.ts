import { isCountry } from '@parley/phone-numbers';
import { z } from 'zod';

const count = (fallback: number) => z.coerce.number().int().positive().default(fallback);

/**
 * Environment keys with the figures of call permission (service-api, sections 7 and 8); the defaults are the chat
 * platform's present ones.
 */
export const callPermissionConfig = z.object({
  CALL_PERMISSION_ASKS_PER_DAY: count(1),
  CALL_PERMISSION_ASKS_PER_WEEK: count(2),
  CALL_PERMISSION_SESSION_HOURS: count(24),
  CALL_PERMISSION_GRANT_HOURS: count(168),
  /** Countries of senders that may not call customers: ISO 3166-1 alpha-2 codes, separated by commas. */
  CALL_PERMISSION_COUNTRIES_WITHOUT_CALLS: z
    .string()
    .default('US,CA,EG,VN,NG,TR')
    .transform((codes) => codes.split(',').flatMap((code) => code.trim().toUpperCase() || []))
    .refine((codes) => codes.every(isCountry), {
      error: 'Must be codes of countries such as US, separated by commas.',
    }),
});
