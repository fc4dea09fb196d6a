import { parse } from 'qs';

/** A form body as Stripe and Twilio send it: `items[0][price]=…` becomes nested objects and arrays. */
export const parseForm = (text: string): Record<string, unknown> => ({
  ...parse(text, { depth: 10, arrayLimit: 100, parameterLimit: 1000 }),
});
