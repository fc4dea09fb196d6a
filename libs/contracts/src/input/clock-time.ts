import { z } from 'zod';

/** A local time of a day, `09:00`. */
export const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, {
  error: 'The :attribute field must be a time such as 09:00; midnight is 00:00.',
});
