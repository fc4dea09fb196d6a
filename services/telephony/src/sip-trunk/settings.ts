import { isDeepStrictEqual } from 'node:util';
import {
  type createSipTrunk,
  invalidField,
  type OperationInput,
  type Rejection,
  type updateSipTrunk,
} from '@parley/contracts';
import type { SipTrunkSettings } from './sip-trunk.ts';

type Creation = OperationInput<typeof createSipTrunk>;
type Change = Omit<OperationInput<typeof updateSipTrunk>, 'id'>;

/** The settings of a new trunk, with defaults; a rejection when they do not go together. */
export const newSettings = ({ sip_password: _, ...input }: Creation): SipTrunkSettings | Rejection =>
  checked({
    phone_number: input.phone_number,
    nickname: input.nickname ?? null,
    sip_username: input.sip_username,
    sip_address: input.sip_address,
    sip_calling_format: input.sip_calling_format ?? '+e164',
    inbound_authorization_type: input.inbound_authorization_type ?? 'auth',
    allowed_inbound_ips: input.allowed_inbound_ips ?? null,
    outbound_proxy: input.outbound_proxy ?? false,
    country_code: input.country_code,
  });

/** The settings after a change: a field that is not sent stays, `null` clears it. */
export const changedSettings = (
  known: SipTrunkSettings,
  { sip_password: _, ...change }: Change,
): SipTrunkSettings | Rejection =>
  checked({
    phone_number: change.phone_number ?? known.phone_number,
    nickname: change.nickname === undefined ? known.nickname : change.nickname,
    sip_username: change.sip_username ?? known.sip_username,
    sip_address: change.sip_address ?? known.sip_address,
    sip_calling_format: change.sip_calling_format ?? known.sip_calling_format,
    inbound_authorization_type: change.inbound_authorization_type ?? known.inbound_authorization_type,
    allowed_inbound_ips:
      change.allowed_inbound_ips === undefined ? known.allowed_inbound_ips : change.allowed_inbound_ips,
    outbound_proxy: change.outbound_proxy ?? known.outbound_proxy,
    country_code: change.country_code ?? known.country_code,
  });

/**
 * Callers that are recognised by IP address need a list of addresses; for others the list means nothing and is dropped.
 */
function checked(settings: SipTrunkSettings): SipTrunkSettings | Rejection {
  if (settings.inbound_authorization_type === 'auth') return { ...settings, allowed_inbound_ips: null };
  if (settings.allowed_inbound_ips?.length) return settings;
  return invalidField(
    'allowed_inbound_ips',
    'The allowed inbound ips field is required when inbound authorization type is ip.',
  );
}

/** The fields of `after` that differ from `before`. */
export function differences(before: SipTrunkSettings, after: SipTrunkSettings): Partial<SipTrunkSettings> {
  const known = new Map<string, unknown>(Object.entries(before));
  const changed = Object.entries(after).filter(
    ([field, value]) => !isDeepStrictEqual(value, known.get(field)),
  );
  return Object.fromEntries(changed);
}
