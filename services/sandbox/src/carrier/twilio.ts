import { isSupportedCountry } from 'libphonenumber-js/max';
import { z } from 'zod';
import { hasBasic } from '../provider/credentials.ts';
import type { Provider, ProviderAnswer, ProviderRequest, ProviderRoute } from '../provider/provider.ts';
import type { World } from '../world.ts';
import { buyNumber, changeNumber, findNumber, listNumbers, releaseNumber, soldNumbers } from './number.ts';
import { sendSms, smsKey } from './send-sms.ts';
import {
  describeNumber,
  isForSale,
  magicNumbers,
  type NumberType,
  requiresAddress,
  requiresBundle,
  searchStock,
} from './stock.ts';
import {
  availableNumber,
  incomingNumber,
  isSmsCapable,
  listPage,
  notFound,
  twilioError,
} from './twilio-format.ts';

export interface TwilioCredentials {
  readonly accountSid: string;
  readonly authToken: string;
}

const root = '/2010-04-01/Accounts/:account';
const numberPath = `${root}/IncomingPhoneNumbers/:sid(^PN[0-9a-f]{32}).json`;

const resources = [
  ['Local', 'local'],
  ['Mobile', 'mobile'],
  ['TollFree', 'toll_free'],
] as const;

const purchase = z.looseObject({
  PhoneNumber: z.string().regex(/^\+[1-9]\d{6,14}$/),
  AddressSid: z
    .string()
    .regex(/^AD[0-9a-f]{32}$/)
    .optional(),
  BundleSid: z
    .string()
    .regex(/^BU[0-9a-f]{32}$/)
    .optional(),
  FriendlyName: z.string().max(64).optional(),
  VoiceUrl: z.string().optional(),
  SmsUrl: z.string().optional(),
});

/** Twilio's REST API for searching, buying and releasing phone numbers, and for SMS. */
export function twilio(world: World, { accountSid, authToken }: TwilioCredentials): Provider<'carrier'> {
  const search = (resource: string, type: NumberType): ProviderRoute<'carrier'> => ({
    method: 'GET',
    path: `${root}/AvailablePhoneNumbers/:country/${resource}.json`,
    operation: 'search',
    handle: (request) => searchNumbers(world, request, type),
  });
  return {
    name: 'carrier',
    refuse: async (request) =>
      hasBasic(request, accountSid, authToken) && request.params.account === accountSid
        ? null
        : twilioError(401, 20003, 'Authenticate'),
    rejection: () => twilioError(400, 20001, 'The request was rejected.'),
    breakdown: () => twilioError(500, 20500, 'An internal server error has occurred'),
    routes: [
      ...resources.map(([resource, type]) => search(resource, type)),
      {
        method: 'POST',
        path: `${root}/IncomingPhoneNumbers.json`,
        operation: 'provision',
        idempotencyKey: purchaseKey,
        handle: (request) => provision(world, request, accountSid),
      },
      {
        method: 'GET',
        path: `${root}/IncomingPhoneNumbers.json`,
        operation: 'list_numbers',
        handle: (request) => list(world, request, accountSid),
      },
      {
        method: 'GET',
        path: numberPath,
        operation: 'get_number',
        handle: async (request) => {
          const number = await findNumber(world.pool, request.params.sid ?? '');
          return number ? { status: 200, body: incomingNumber(number, accountSid) } : notFound(request.url);
        },
      },
      {
        method: 'POST',
        path: numberPath,
        operation: 'update_number',
        handle: async (request) => {
          const changes = purchase.partial().safeParse(request.body ?? {});
          if (!changes.success) return twilioError(400, 20001, 'Invalid parameter');
          const { FriendlyName, VoiceUrl, SmsUrl } = changes.data;
          const number = await changeNumber(
            world.pool,
            request.params.sid ?? '',
            {
              ...(FriendlyName === undefined ? {} : { friendly_name: FriendlyName }),
              ...(VoiceUrl === undefined ? {} : { voice_url: VoiceUrl }),
              ...(SmsUrl === undefined ? {} : { sms_url: SmsUrl }),
            },
            world.clock.now(),
          );
          return number ? { status: 200, body: incomingNumber(number, accountSid) } : notFound(request.url);
        },
      },
      {
        method: 'DELETE',
        path: numberPath,
        operation: 'release',
        idempotencyKey: ({ params }) => params.sid ?? null,
        handle: async (request) =>
          (await releaseNumber(world.pool, request.params.sid ?? ''))
            ? { status: 204, body: '' }
            : notFound(request.url),
      },
      {
        method: 'POST',
        path: `${root}/Messages.json`,
        operation: 'send_sms',
        idempotencyKey: smsKey,
        handle: (request) => sendSms(world, request, accountSid),
      },
    ],
  };
}

/**
 * What tells repetitions of a purchase apart in the request log. Twilio has no idempotency keys for purchases; but
 * a number is sold once, and its friendly name says for which purchase.
 */
function purchaseKey({ headers, body }: ProviderRequest): string | null {
  const token = headers['i-twilio-idempotency-token'];
  if (typeof token === 'string') return token;
  const parsed = purchase.safeParse(body);
  return parsed.data?.FriendlyName ?? null;
}

/** Lengths of search patterns that Twilio allows. */
const patternLengths = { min: 2, max: 16 } as const;

async function searchNumbers(
  world: World,
  request: ProviderRequest,
  type: NumberType,
): Promise<ProviderAnswer> {
  const country = (request.params.country ?? '').toUpperCase();
  if (!isSupportedCountry(country)) return notFound(request.url);
  const { Contains, AreaCode, ExcludeAllAddressRequired, PageSize } = request.query;
  const { length: patternLength } = String(Contains ?? '');
  if (Contains !== undefined && (patternLength < patternLengths.min || patternLength > patternLengths.max))
    return twilioError(400, 20001, 'Contains must be 2 to 16 characters long.');
  const contains = String(Contains ?? AreaCode ?? '').replace(/[^\d]/g, '');
  const sold = await soldNumbers(world.pool);
  const found = searchStock({
    country,
    type,
    contains,
    limit: Math.min(Math.max(Number(PageSize) || 20, 1), 50),
    isSold: (number) => sold.has(number),
  });
  const numbers =
    ExcludeAllAddressRequired === 'true' ? found.filter((number) => !requiresAddress(number)) : found;
  return {
    status: 200,
    body: {
      uri: request.url,
      available_phone_numbers: numbers.map((number) => availableNumber(number, country, type)),
    },
  };
}

async function provision(
  world: World,
  request: ProviderRequest,
  accountSid: string,
): Promise<ProviderAnswer> {
  const parsed = purchase.safeParse(request.body ?? {});
  if (!parsed.success || parsed.data.PhoneNumber === magicNumbers.invalid)
    return twilioError(400, 21421, 'PhoneNumber is invalid');
  const { PhoneNumber, AddressSid, BundleSid, FriendlyName, VoiceUrl, SmsUrl } = parsed.data;
  const unavailable = twilioError(400, 21422, `${PhoneNumber} is not available.`);
  const kind = describeNumber(PhoneNumber);
  if (!kind || !isForSale(PhoneNumber) || PhoneNumber === magicNumbers.snatched) return unavailable;
  if (requiresAddress(PhoneNumber) && AddressSid === undefined)
    return twilioError(
      400,
      21631,
      'Phone Number Requires an Address but the AddressSid parameter was empty.',
    );
  if (requiresBundle(PhoneNumber) && BundleSid === undefined)
    return twilioError(400, 21649, 'Bundle required and not provided');
  const bought = await buyNumber(
    world.pool,
    {
      phone_number: PhoneNumber,
      friendly_name: FriendlyName ?? PhoneNumber,
      country_code: kind.country,
      type: kind.type,
      sms_capable: isSmsCapable(kind.country, kind.type),
      voice_url: VoiceUrl ?? '',
      sms_url: SmsUrl ?? '',
      address_sid: AddressSid ?? null,
      bundle_sid: BundleSid ?? null,
    },
    world.clock.now(),
  );
  return bought ? { status: 201, body: incomingNumber(bought, accountSid) } : unavailable;
}

async function list(world: World, request: ProviderRequest, accountSid: string): Promise<ProviderAnswer> {
  const { PhoneNumber, FriendlyName } = request.query;
  const numbers = await listNumbers(world.pool, {
    phoneNumber: typeof PhoneNumber === 'string' ? PhoneNumber.replaceAll('*', '%') : null,
    friendlyName: typeof FriendlyName === 'string' ? FriendlyName : null,
  });
  const items = numbers.map((number) => incomingNumber(number, accountSid));
  const [path = ''] = request.url.split('?');
  return { status: 200, body: listPage('incoming_phone_numbers', items, path, request.query) };
}
