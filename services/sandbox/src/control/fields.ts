import { text } from '@parley/contracts';
import { z } from 'zod';
import { isHidden } from '../chat/contact.ts';

/** The shape of E.164 alone: the outside world has numbers that no table knows. */
export const phoneNumber = () =>
  z.string().regex(/^\+[1-9]\d{5,14}$/, { error: 'The :attribute field must be a number in E.164 format.' });

/** A number of ours: that of a SIP trunk may be an extension. */
export const ownNumber = () =>
  z.string().regex(/^\+?[0-9A-Za-z._*#-]{1,32}$/, {
    error: 'The :attribute field must be a phone number or a SIP extension.',
  });

/** A number, or what the chat platform calls a customer who hides it. */
export const customer = () => phoneNumber().or(z.string().refine(isHidden));

export const words = (max: number) => text().min(1).max(max);
