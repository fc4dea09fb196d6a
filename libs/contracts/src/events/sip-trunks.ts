import { z } from 'zod';
import { defineEvent, type EventOf } from '../history/event.ts';

const sipTrunk = { service: 'telephony', category: 'sip-trunk', version: 1 } as const;

/** Everything about a trunk but its password, which no event ever holds. */
const settings = z.object({
  phone_number: z.string(),
  nickname: z.string().nullable(),
  sip_username: z.string(),
  sip_address: z.string(),
  sip_calling_format: z.enum(['+e164', 'e164', 'national']),
  inbound_authorization_type: z.enum(['auth', 'ip']),
  allowed_inbound_ips: z.array(z.string()).nullable().describe('Null unless the authorization type is `ip`.'),
  outbound_proxy: z.boolean(),
  country_code: z.string(),
});

const inboundId = z.string().describe('Empty while calls to the number come in by another trunk.');

export const SipTrunkCreated = defineEvent({
  ...sipTrunk,
  type: 'SipTrunkCreated',
  summary: 'A SIP trunk was created, and exists on the voice platform.',
  data: settings.extend({
    id: z.int(),
    inbound_trunk_id: inboundId,
    outbound_trunk_id: z.string(),
    created_at: z.string(),
  }),
});

export const SipTrunkChanged = defineEvent({
  ...sipTrunk,
  type: 'SipTrunkChanged',
  summary: 'Settings of a SIP trunk changed, here and on the voice platform.',
  data: settings.partial().extend({ id: z.int(), updated_at: z.string() }),
});

export const SipTrunkPasswordChanged = defineEvent({
  ...sipTrunk,
  type: 'SipTrunkPasswordChanged',
  summary: 'A SIP trunk got another password.',
  data: z.object({ id: z.int(), updated_at: z.string() }),
});

export const SipTrunkRemade = defineEvent({
  ...sipTrunk,
  type: 'SipTrunkRemade',
  summary: 'The voice platform had a SIP trunk no more, or never: it was made there anew, under these ids.',
  data: z.object({
    id: z.int(),
    inbound_trunk_id: inboundId,
    outbound_trunk_id: z.string(),
    updated_at: z.string(),
  }),
});

export const SipTrunkInboundChanged = defineEvent({
  ...sipTrunk,
  type: 'SipTrunkInboundChanged',
  summary:
    'Calls to the number of a SIP trunk come in by it from now on, or, without an id, by another trunk or for whoever bought the number.',
  data: z.object({ id: z.int(), inbound_trunk_id: inboundId, updated_at: z.string() }),
});

export const SipTrunkDeleted = defineEvent({
  ...sipTrunk,
  type: 'SipTrunkDeleted',
  summary: 'A SIP trunk was deleted; the voice platform removes it.',
  data: z.object({ id: z.int() }),
});

export type SipTrunkEvent = EventOf<
  | typeof SipTrunkCreated
  | typeof SipTrunkChanged
  | typeof SipTrunkPasswordChanged
  | typeof SipTrunkRemade
  | typeof SipTrunkInboundChanged
  | typeof SipTrunkDeleted
>;
