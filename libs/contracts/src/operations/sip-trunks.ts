import { z } from 'zod';
import { countryCode } from '../input/country-code.ts';
import { asOf, pathId, textUpTo, writtenUpTo } from '../input/text.ts';
import { defineOperation } from '../operation.ts';

const sipTrunks = {
  service: 'telephony',
  tag: 'SIP trunks',
  errorShape: 'error',
} as const;
const oneTrunk = { ...sipTrunks, notFoundMessage: 'SIP trunk not found.' } as const;

const callingFormat = z
  .enum(['+e164', 'e164', 'national'])
  .describe(
    'How numbers are dialed: `+e164` is `+49301234`, `e164` `49301234`, `national` `0301234`, and those abroad as `e164`.',
  );
const authorizationType = z.enum(['auth', 'ip']);

const sipTrunk = z
  .object({
    id: z.int(),
    phone_number: z.string(),
    nickname: z.string().nullable(),
    sip_username: z.string(),
    sip_address: z.string(),
    sip_calling_format: callingFormat,
    inbound_authorization_type: authorizationType,
    allowed_inbound_ips: z.array(z.string()).optional().describe('Only with the authorization type `ip`.'),
    outbound_proxy: z.boolean(),
    country_code: z.string(),
    inbound_trunk_id: z
      .string()
      .describe('Empty while calls to the number come in by another trunk, or for whoever bought it.'),
    outbound_trunk_id: z
      .string()
      .describe('What the voice platform calls the trunk that calls are placed by.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'SipTrunk' });
const answer = z.object({ message: z.string(), data: sipTrunk });

const phoneNumber = z
  .string()
  .regex(/^\+?[0-9A-Za-z._*#-]{1,32}$/, {
    error: 'The :attribute field must be a SIP extension or a phone number.',
  })
  .describe('The extension or phone number that calls come in for, and that those called see.');
const username = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/, { error: 'The :attribute field must be 1 to 128 visible characters.' })
  .describe('What either side authenticates with.');
const password = textUpTo(255).describe('The password to it; never shown.');
const country = countryCode().describe(
  'Where the number is from: ISO 3166-1 alpha-2; numbers without a country code are dialed there.',
);
const hostPart = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const noAddress = 'The :attribute field must be a host name or an IP address, with a port if need be.';
const address = z
  .string()
  .max(255)
  .regex(new RegExp(`^(?:${hostPart}(?:\\.${hostPart})*|\\[[0-9A-Fa-f:.]{2,45}\\])(?::[1-9]\\d{0,4})?$`), {
    error: noAddress,
    abort: true,
  })
  // Four numbers or a port may be too large, or what is in brackets no IPv6 address.
  .refine((server) => URL.canParse(`http://${server}`), { error: noAddress })
  .describe('Where the SIP server is: host name or IP address, with a port if need be.');
const ipAddress = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: 'The :attribute field must be an IP address or a range such as 203.0.113.0/24.',
});

const fields = {
  phone_number: phoneNumber,
  nickname: writtenUpTo(255).nullish().describe('For people.'),
  sip_username: username,
  sip_password: password,
  sip_address: address,
  sip_calling_format: callingFormat.optional(),
  inbound_authorization_type: authorizationType
    .optional()
    .describe('How callers show that they come from the SIP server.'),
  allowed_inbound_ips: z
    .array(ipAddress)
    .max(100)
    .nullish()
    .describe('Addresses and ranges that calls come from; with `ip`.'),
  outbound_proxy: z.boolean().optional().describe('Whether calls are placed through a fixed address.'),
  country_code: country,
};

const rules = [
  'With `inbound_authorization_type` `auth` callers authenticate with the username and password; with `ip` they come from `allowed_inbound_ips`, which is required then and means nothing otherwise.',
  'A trunk with the same number, username and address as another one of the account is refused with 409. The password is kept encrypted and is never shown.',
  'The trunk exists on the voice platform when the answer is sent. When the platform refuses it, nothing is saved: 502.',
];

export const createSipTrunk = defineOperation({
  ...sipTrunks,
  name: 'create-sip-trunk',
  kind: 'command',
  method: 'POST',
  path: '/api/user/phone-numbers/sip-trunks',
  summary: 'Create a SIP trunk',
  description: [
    ...rules,
    'Defaults: `+e164`, `auth`, no outbound proxy. Its id is a phone number’s id: assistants take it as `phone_number_id`.',
  ].join('\n\n'),
  body: z.object(fields),
  rejections: ['sip_trunk_exists', 'voice_platform_refused'],
  example: {
    phone_number: '+442079460192',
    nickname: 'Branch',
    sip_username: 'branch',
    sip_password: 'a password that the carrier gave',
    sip_address: 'sip.example.com',
    country_code: 'GB',
  },
  success: { status: 201, schema: answer },
});

export const updateSipTrunk = defineOperation({
  ...oneTrunk,
  name: 'update-sip-trunk',
  kind: 'command',
  method: 'PUT',
  path: '/api/user/phone-numbers/sip-trunks/{id}',
  summary: 'Change a SIP trunk; fields that are not sent stay as they are',
  description: rules.join('\n\n'),
  params: z.object({ id: pathId().describe('Of the trunk.') }),
  body: z.object({
    ...fields,
    phone_number: phoneNumber.optional(),
    sip_username: username.optional(),
    sip_password: password.optional(),
    sip_address: address.optional(),
    country_code: country.optional(),
  }),
  rejections: ['sip_trunk_exists', 'voice_platform_refused'],
  example: { id: 21, nickname: 'Head office' },
  success: { status: 200, schema: answer },
});

export const getSipTrunk = defineOperation({
  ...oneTrunk,
  name: 'get-sip-trunk',
  kind: 'query',
  method: 'GET',
  path: '/api/user/phone-numbers/sip-trunks/{id}',
  summary: 'One SIP trunk',
  description: 'With `as_of` (a timestamp or a position) as it was at that moment.',
  params: z.object({ id: pathId().describe('Of the trunk.') }),
  query: z.object({ as_of: asOf() }),
  isVersioned: true,
  success: { status: 200, schema: z.object({ data: sipTrunk }) },
});

export const listSipTrunks = defineOperation({
  ...sipTrunks,
  name: 'list-sip-trunks',
  kind: 'query',
  method: 'GET',
  path: '/api/user/phone-numbers/sip-trunks',
  summary: 'All SIP trunks, newest first',
  description: 'Never with their passwords.',
  success: { status: 200, schema: z.object({ data: z.array(sipTrunk) }) },
});

export const deleteSipTrunk = defineOperation({
  ...oneTrunk,
  name: 'delete-sip-trunk',
  kind: 'command',
  method: 'DELETE',
  path: '/api/user/phone-numbers/sip-trunks/{id}',
  summary: 'Delete a SIP trunk',
  description: 'The voice platform removes it soon after. Assistants that had its number go on without one.',
  params: z.object({ id: pathId().describe('Of the trunk.') }),
  success: { status: 200, schema: z.object({ message: z.string() }) },
});
