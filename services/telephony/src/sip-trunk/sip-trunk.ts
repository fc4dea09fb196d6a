import type { EventOf, SipTrunkCreated, SipTrunkEvent } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

type Created = EventOf<typeof SipTrunkCreated>['data'];

export type SipTrunkSettings = Omit<Created, 'id' | 'inbound_trunk_id' | 'outbound_trunk_id' | 'created_at'>;

/** The voice platform's ids of the trunk's two directions. */
export interface PlatformIds {
  readonly inbound_trunk_id: string;
  readonly outbound_trunk_id: string;
}

/** In place of the inbound id: calls to the number come in by another trunk, or the number was bought. */
export const nothingInbound = '';

/** A SIP trunk of an account; null before it is created and after it is deleted. */
export type SipTrunk =
  | (Created & {
      readonly updated_at: string;
      /** When the password that counts was set, ISO 8601. */
      readonly password_at: string;
    })
  | null;

export const sipTrunkCategory = 'sip-trunk';
export const sipTrunkStream = (id: number): string => `${sipTrunkCategory}-${id}`;

export const sipTrunk: Fold<SipTrunk, SipTrunkEvent> = {
  initialState: null,
  evolve(state, event) {
    switch (event.type) {
      case 'SipTrunkCreated': {
        const { created_at } = event.data;
        return { ...event.data, updated_at: created_at, password_at: created_at };
      }
      case 'SipTrunkChanged':
      case 'SipTrunkRemade':
      case 'SipTrunkInboundChanged': {
        // A part of the settings over complete ones; fields that did not change are missing in the event.
        return state && ({ ...state, ...event.data } as Exclude<SipTrunk, null>);
      }
      case 'SipTrunkPasswordChanged': {
        const { updated_at } = event.data;
        return state && { ...state, updated_at, password_at: updated_at };
      }
      case 'SipTrunkDeleted':
        return null;
      default:
        return state;
    }
  },
};

/** A trunk as its history shows it. */
export function shownTrunk(trunk: SipTrunk) {
  if (!trunk) return null;
  const { password_at: _, ...shown } = trunk;
  return shown;
}

/** A trunk as the API shows it: `allowed_inbound_ips` only with the authorization type `ip`. */
export function toItem({ allowed_inbound_ips, ...trunk }: NonNullable<SipTrunk>) {
  const { id, phone_number, nickname, sip_username, sip_address, sip_calling_format } = trunk;
  const { inbound_authorization_type, outbound_proxy, country_code } = trunk;
  const { inbound_trunk_id, outbound_trunk_id, created_at, updated_at } = trunk;
  return {
    id,
    phone_number,
    nickname,
    sip_username,
    sip_address,
    sip_calling_format,
    inbound_authorization_type,
    ...(allowed_inbound_ips === null ? {} : { allowed_inbound_ips }),
    outbound_proxy,
    country_code,
    inbound_trunk_id,
    outbound_trunk_id,
    created_at,
    updated_at,
  };
}
