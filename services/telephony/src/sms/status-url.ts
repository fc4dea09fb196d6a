import type { SmsConfig } from './config.ts';

const path = '/hooks/sms/twilio';
const parameter = 'reference';
/**
 * Twilio's connection overrides, which are no part of what it calls and signs: as many tries as it makes, within the 15 s
 * that it gives them, also after a 5xx or no answer; else it tells again only where it could not connect.
 */
const overrides = '#rc=5&rp=5xx,ct,rt';

const root = ({ GATEWAY_URL }: SmsConfig): string => GATEWAY_URL.replace(/\/+$/, '');

/** Whom the carrier tells what becomes of an SMS; it says our word for it back, also of one that we are not sure of. */
export const statusUrl = (config: SmsConfig, reference: string): string =>
  `${root(config)}${path}?${new URLSearchParams({ [parameter]: reference })}${overrides}`;

/** The URL as the carrier called it, which it signs: what the gateway got is only the end of it. */
export const calledUrl = (config: SmsConfig, target: string): string => root(config) + target;

export const referenceOf = (url: string): string | null => new URL(url).searchParams.get(parameter);
