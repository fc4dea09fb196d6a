import type { SmsConfig } from './config.ts';

const path = '/hooks/sms/twilio';
const parameter = 'reference';
/**
 * Twilio's connection overrides. They are the URL's fragment, which Twilio neither sends nor signs: as many attempts as
 * it makes, within the 15 s that it allows for them, also after a 5xx status or no answer. By default it repeats only
 * when it could not connect.
 */
const overrides = '#rc=5&rp=5xx,ct,rt';

const root = ({ GATEWAY_URL }: SmsConfig): string => GATEWAY_URL.replace(/\/+$/, '');

/**
 * URL to which the carrier posts the statuses of an SMS. It holds our reference, which so comes back also for an SMS of
 * which we do not know whether it was sent.
 */
export const statusUrl = (config: SmsConfig, reference: string): string =>
  `${root(config)}${path}?${new URLSearchParams({ [parameter]: reference })}${overrides}`;

/** The URL as the carrier called and signed it; `target` is the path and query that the gateway got. */
export const calledUrl = (config: SmsConfig, target: string): string => root(config) + target;

/** Our reference in a status URL; null when it has none. */
export const referenceOf = (url: string): string | null => new URL(url).searchParams.get(parameter);
