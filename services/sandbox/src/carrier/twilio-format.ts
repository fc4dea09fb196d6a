import { parsePhoneNumberFromString } from 'libphonenumber-js';
import type { ProviderAnswer } from '../provider/provider.ts';
import type { SmsMessage } from './message.ts';
import type { BoughtNumber } from './number.ts';
import { type NumberType, requiresAddress } from './stock.ts';

export const twilioError = (status: number, code: number, message: string): ProviderAnswer => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
});

export const notFound = (url: string): ProviderAnswer =>
  twilioError(404, 20404, `The requested resource ${url} was not found`);

const friendly = (phoneNumber: string): string =>
  parsePhoneNumberFromString(phoneNumber)?.formatNational() ?? phoneNumber;

/** Local numbers outside of North America speak only. */
export const isSmsCapable = (country: string, type: NumberType): boolean =>
  type !== 'local' || country === 'US' || country === 'CA';

const addressRequirements = (phoneNumber: string) => (requiresAddress(phoneNumber) ? 'any' : 'none');

const capabilities = (sms: boolean, country: string) => ({
  voice: true,
  sms,
  mms: sms && (country === 'US' || country === 'CA'),
  fax: false,
});

export const availableNumber = (phoneNumber: string, country: string, type: NumberType) => ({
  phone_number: phoneNumber,
  friendly_name: friendly(phoneNumber),
  iso_country: country,
  lata: null,
  rate_center: null,
  latitude: null,
  longitude: null,
  locality: null,
  region: null,
  postal_code: null,
  address_requirements: addressRequirements(phoneNumber),
  beta: false,
  capabilities: capabilities(isSmsCapable(country, type), country),
});

export const incomingNumber = (number: BoughtNumber, accountSid: string) => ({
  sid: number.sid,
  account_sid: accountSid,
  phone_number: number.phone_number,
  friendly_name: number.friendly_name,
  api_version: '2010-04-01',
  address_requirements: addressRequirements(number.phone_number),
  address_sid: number.address_sid,
  beta: false,
  bundle_sid: number.bundle_sid,
  capabilities: capabilities(number.sms_capable, number.country_code),
  date_created: rfc2822(number.created_at),
  date_updated: rfc2822(number.updated_at),
  emergency_status: 'Inactive',
  identity_sid: null,
  origin: 'twilio',
  status: 'in-use',
  type: number.type,
  trunk_sid: null,
  sms_url: number.sms_url,
  sms_method: 'POST',
  voice_url: number.voice_url,
  voice_method: 'POST',
  voice_caller_id_lookup: false,
  uri: `/2010-04-01/Accounts/${accountSid}/IncomingPhoneNumbers/${number.sid}.json`,
});

const rfc2822 = (at: Date): string => at.toUTCString().replace('GMT', '+0000');

export const sentMessage = (message: SmsMessage, accountSid: string) => ({
  sid: message.sid,
  account_sid: accountSid,
  api_version: '2010-04-01',
  body: message.body,
  date_created: rfc2822(message.created_at),
  date_sent: null,
  date_updated: rfc2822(message.created_at),
  direction: 'outbound-api',
  error_code: null,
  error_message: null,
  from: message.from_number,
  messaging_service_sid: null,
  num_media: '0',
  num_segments: '1',
  price: null,
  price_unit: 'USD',
  status: message.status,
  subresource_uris: {
    media: `/2010-04-01/Accounts/${accountSid}/Messages/${message.sid}/Media.json`,
  },
  to: message.to_number,
  uri: `/2010-04-01/Accounts/${accountSid}/Messages/${message.sid}.json`,
});

/** One page of a list as Twilio's 2010 API answers it. */
export function listPage<T>(
  key: string,
  items: readonly T[],
  path: string,
  query: Readonly<Record<string, unknown>>,
) {
  const size = Math.min(Math.max(Number(query.PageSize) || 50, 1), 1000);
  const page = Math.max(Number(query.Page) || 0, 0);
  const start = page * size;
  const given = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const uriOf = (number: number) => {
    const parameters = new URLSearchParams(given);
    parameters.set('PageSize', String(size));
    parameters.set('Page', String(number));
    return `${path}?${parameters}`;
  };
  return {
    [key]: items.slice(start, start + size),
    page,
    page_size: size,
    start,
    end: Math.max(start, Math.min(start + size, items.length) - 1),
    uri: uriOf(page),
    first_page_uri: uriOf(0),
    previous_page_uri: page > 0 ? uriOf(page - 1) : null,
    next_page_uri: start + size < items.length ? uriOf(page + 1) : null,
  };
}
