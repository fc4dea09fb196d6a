import type { Secret } from '@parley/process-kit';
import type {
  PlatformTrunk,
  ProviderFailure,
  ProviderResult,
  TrunkDirection,
  VoicePlatform,
} from '@parley/providers';
import { deleteTrunks } from '../voice/delete-trunks.ts';
import { type PlatformIds, type SipTrunkSettings, sipTrunkStream } from './sip-trunk.ts';

/** A trunk of the platform's without an answer to what it is about yet. */
export interface WantedTrunk {
  readonly id: number;
  readonly settings: SipTrunkSettings;
  readonly password: Secret;
}

type Platform = Pick<
  VoicePlatform,
  'createTrunk' | 'deleteTrunk' | 'findTrunks' | 'receiveCalls' | 'replaceTrunk'
>;

const directions = ['inbound', 'outbound'] as const satisfies readonly TrunkDirection[];

/** A customer's SIP trunk on the voice platform: two objects, one for each direction, that are there both or not at all. */
export class PlatformTrunks {
  readonly #platform: Platform;
  readonly #proxy: string | undefined;

  constructor(platform: Platform, proxy: string | undefined) {
    this.#platform = platform;
    this.#proxy = proxy;
  }

  /** After a failure there may be one of the two: `remove` clears up. */
  async create(wanted: WantedTrunk): Promise<ProviderResult<PlatformIds>> {
    const ready = await this.#platform.receiveCalls();
    if (ready.kind !== 'ok') return ready;
    const trunk = this.#toPlatform(wanted);
    const inbound = await this.#platform.createTrunk('inbound', trunk);
    if (inbound.kind !== 'ok') return inbound;
    const outbound = await this.#platform.createTrunk('outbound', trunk);
    if (outbound.kind !== 'ok') return outbound;
    return { kind: 'ok', value: { inbound_trunk_id: inbound.value, outbound_trunk_id: outbound.value } };
  }

  /** May be repeated. After a failure one of the two may have changed. */
  async replace(ids: PlatformIds, wanted: WantedTrunk): Promise<ProviderResult<undefined>> {
    const trunk = this.#toPlatform(wanted);
    const inbound = await this.#platform.replaceTrunk('inbound', ids.inbound_trunk_id, trunk);
    if (inbound.kind !== 'ok') return inbound;
    return this.#platform.replaceTrunk('outbound', ids.outbound_trunk_id, trunk);
  }

  /** Whatever there is of it, also what nobody has an answer about. May be repeated. */
  async remove(id: number, number: string): Promise<ProviderFailure | null> {
    for (const direction of directions) {
      const failure = await deleteTrunks(this.#platform, direction, {
        reference: sipTrunkStream(id),
        number,
      });
      if (failure) return failure;
    }
    return null;
  }

  #toPlatform({ id, settings, password }: WantedTrunk): PlatformTrunk {
    const proxy = settings.outbound_proxy ? this.#proxy : undefined;
    return {
      reference: sipTrunkStream(id),
      name: settings.nickname ?? settings.phone_number,
      number: settings.phone_number,
      address: proxy ?? settings.sip_address,
      credentials: { username: settings.sip_username, password },
      allowedIps: settings.allowed_inbound_ips,
      country: settings.country_code,
      // The proxy passes the call on to where it would have gone.
      headers: proxy ? { 'X-Destination': settings.sip_address } : {},
    };
  }
}
