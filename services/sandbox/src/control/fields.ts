import { text } from '@parley/contracts';
import { z } from 'zod';

/** The shape of E.164 alone: the outside world has numbers that no table knows. */
export const phoneNumber = () =>
  z.string().regex(/^\+[1-9]\d{5,14}$/, { error: 'The :attribute field must be a number in E.164 format.' });

export const words = (max: number) => text().min(1).max(max);
