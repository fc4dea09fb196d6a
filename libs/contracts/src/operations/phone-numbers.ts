import { z } from 'zod';
import { countryCode } from '../input/country-code.ts';
import { pageParameter, pathId, text, writtenUpTo } from '../input/text.ts';
import { defineOperation } from '../operation.ts';

const numbers = { service: 'telephony', tag: 'Phone numbers', errorShape: 'message' } as const;

const timestamp = z.iso.datetime();
const numberType = z.enum(['local', 'mobile', 'toll_free']);
const typeLabel = z.enum(['Normal', 'SIP', 'Caller ID']);
const price = { price: z.string().describe('Per month, a decimal string.'), currency: z.string() };

/** The specification's purchased phone number. */
const purchasedNumber = z
  .object({
    id: z.int(),
    phone_number: z.string(),
    country_code: z.string(),
    type: numberType,
    sms_capable: z.boolean(),
  })
  .meta({ id: 'PurchasedNumber' });

/** One of the account's numbers with all that is known of it; what only bought numbers have is null for a trunk's. */
const ownNumber = z
  .object({
    id: z.int(),
    phone_number: z.string(),
    country_code: z.string(),
    type: numberType.nullable(),
    type_label: typeLabel,
    sms_capable: z.boolean(),
    voice_capable: z
      .boolean()
      .nullable()
      .describe(
        'False: it is for SMS alone, and no inbound assistant can have it. Null where nobody noted it.',
      ),
    nickname: z.string().nullable(),
    status: z.enum(['active', 'past_due']),
    price: z.string().nullable(),
    currency: z.string().nullable(),
    paid_until: timestamp.nullable().describe('When the next renewal is due.'),
    grace_ends_at: timestamp
      .nullable()
      .describe('When it is lost unless it is paid; null for one that is paid.'),
    created_at: timestamp,
  })
  .meta({ id: 'PhoneNumber' });

export const searchPhoneNumbers = defineOperation({
  ...numbers,
  name: 'search-phone-numbers',
  kind: 'query',
  method: 'GET',
  path: '/api/user/phone-numbers/search',
  summary: 'Search phone numbers that can be bought',
  description: 'The price is per month. Numbers of any type are searched when `type` is absent.',
  query: z.object({
    country_code: countryCode().describe('Where the number is from: ISO 3166-1 alpha-2, for example `US`.'),
    contains: z
      .string()
      .regex(/^\d{1,10}$/, { error: 'The :attribute field must be 1 to 10 digits.' })
      .optional()
      .describe('Digits that stand somewhere in the number.'),
    type: numberType.optional().describe('Only numbers of this type.'),
    limit: pageParameter(20, 1, 50).describe('How many are shown at most.'),
  }),
  example: { country_code: 'US' },
  success: {
    status: 200,
    schema: z.object({
      data: z.array(
        z.object({
          phone_number: z.string(),
          phone_number_formatted: z.string(),
          country_code: z.string(),
          type: numberType,
          ...price,
          sms_capable: z.boolean(),
          voice_capable: z.boolean(),
          address_requirements: z
            .string()
            .describe('What address the carrier asks of its owner; `none` for no address.'),
        }),
      ),
    }),
  },
});

export const purchasePhoneNumber = defineOperation({
  ...numbers,
  name: 'purchase-phone-number',
  kind: 'command',
  method: 'POST',
  path: '/api/user/phone-numbers/purchase',
  summary: 'Buy a phone number that a search returned',
  description:
    'Charges the payment method every month until the number is released. A purchase that fails leaves nothing behind.',
  errorShape: 'error',
  /** Checked by the service, which has an error of its own for it. */
  body: z.object({ phone_number: text().describe('As the search shows it, in E.164.') }),
  rejections: [
    'number_unparsable',
    'number_in_use',
    'number_not_available',
    'no_payment_method',
    'payment_failed',
    'purchase_failed',
  ],
  example: { phone_number: '+12012098535' },
  success: { status: 201, schema: z.object({ message: z.string(), data: purchasedNumber }) },
});

export const listPhoneNumbers = defineOperation({
  ...numbers,
  name: 'list-phone-numbers',
  kind: 'query',
  method: 'GET',
  path: '/api/user/phone-numbers/all',
  summary: 'List all own phone numbers, newest first',
  description:
    '`past_due`: the last renewal failed, and the number is lost at `grace_ends_at` unless it is paid.',
  success: { status: 200, schema: z.object({ data: z.array(ownNumber) }) },
});

export const listAssignablePhoneNumbers = defineOperation({
  ...numbers,
  name: 'list-assignable-phone-numbers',
  kind: 'query',
  method: 'GET',
  path: '/api/user/assistants/phone-numbers',
  summary: 'List the phone numbers that assistants can be given, newest first',
  description:
    'A top-level array. With `type=inbound` only those that a new inbound assistant can get: no caller IDs, none that is for SMS alone or answers for another one.',
  query: z.object({
    type: z.enum(['inbound', 'outbound']).optional().describe('The type of the assistant that it is for.'),
  }),
  success: {
    status: 200,
    schema: z.array(
      z.object({
        id: z.int(),
        phone_number: z.string(),
        country_code: z.string(),
        type_label: typeLabel,
        is_available: z.boolean().describe('Whether a new inbound assistant can get it.'),
      }),
    ),
  },
});

export const updatePhoneNumber = defineOperation({
  ...numbers,
  name: 'update-phone-number',
  kind: 'command',
  method: 'PUT',
  path: '/api/user/phone-numbers/{id}',
  summary: 'Give a bought phone number a nickname',
  description: 'The nickname of a SIP trunk’s number is changed with the trunk.',
  notFoundMessage: 'Phone number not found.',
  params: z.object({ id: pathId().describe('Of the number.') }),
  body: z.object({ nickname: writtenUpTo(255).nullable().describe('For people; null takes it away.') }),
  example: { id: 1, nickname: 'Hotline' },
  success: {
    status: 200,
    schema: z.object({
      message: z.string(),
      data: purchasedNumber.extend({ nickname: z.string().nullable() }),
    }),
  },
});

export const releasePhoneNumber = defineOperation({
  ...numbers,
  name: 'release-phone-number',
  kind: 'command',
  method: 'DELETE',
  path: '/api/user/phone-numbers/{id}',
  summary: 'Release a phone number and cancel its subscription',
  description: 'Assistants that had it have no number from then on.',
  notFoundMessage: 'Phone number not found.',
  params: z.object({ id: pathId().describe('Of the number.') }),
  success: { status: 200, schema: z.object({ message: z.string() }) },
});
