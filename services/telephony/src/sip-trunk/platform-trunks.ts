import type { Secret } from '@parley/process-kit';
import type {
  PlatformTrunk,
  ProviderFailure,
  ProviderResult,
  TrunkDirection,
  VoicePlatform,
} from '@parley/providers';
import { deleteTrunks } from '../voice/delete-trunks.ts';
import { InboundTrunks, isTaken, withoutCalls } from './inbound-trunks.ts';
import { nothingInbound, type PlatformIds, type SipTrunkSettings, sipTrunkStream } from './sip-trunk.ts';

/** A trunk of the platform's without an answer to what it is about yet. */
export interface WantedTrunk {
  readonly id: number;
  readonly settings: SipTrunkSettings;
  readonly password: Secret;
}

type Platform = Pick<
  VoicePlatform,
  'createTrunk' | 'deleteTrunk' | 'findTrunks' | 'inboundOf' | 'receiveCalls' | 'replaceTrunk'
>;

const directions = ['inbound', 'outbound'] as const satisfies readonly TrunkDirection[];

const idOf = (ids: PlatformIds, direction: TrunkDirection): string =>
  direction === 'inbound' ? ids.inbound_trunk_id : ids.outbound_trunk_id;

/**
 * A customer's SIP trunk on the voice platform: two objects, one for each direction, that are there both or not at all.
 * But calls to a number come in by one trunk there: while another one has them, there is the outbound object alone.
 */
export class PlatformTrunks {
  readonly #platform: Platform;
  readonly #inbound: InboundTrunks;
  readonly #proxy: string | undefined;

  constructor(platform: Platform, proxy: string | undefined) {
    this.#platform = platform;
    this.#inbound = new InboundTrunks(platform);
    this.#proxy = proxy;
  }

  /** After a failure there may be one of the two: `remove` clears up. */
  async create(wanted: WantedTrunk): Promise<ProviderResult<PlatformIds>> {
    const ready = await this.#platform.receiveCalls();
    if (ready.kind !== 'ok') return ready;
    const trunk = this.#toPlatform(wanted);
    const inbound = await this.#inbound.make(trunk);
    if (inbound.kind !== 'ok') return inbound;
    const outbound = await this.#platform.createTrunk('outbound', trunk);
    if (outbound.kind !== 'ok') return outbound;
    return { kind: 'ok', value: { inbound_trunk_id: inbound.value, outbound_trunk_id: outbound.value } };
  }

  /**
   * Changes what the platform has, and makes anew what it has no more, or never had; the ids of both. `number` is the one
   * from before. May be repeated. After a failure one of the two may have changed, or be new: `replaceKnown` and `remove`
   * clear up, also where calls to a new number come in by another trunk, what is inbound to the number from before.
   */
  async replace(ids: PlatformIds, wanted: WantedTrunk, number: string): Promise<ProviderResult<PlatformIds>> {
    const trunk = this.#toPlatform(wanted);
    const calls = await this.#inbound.callsOf(trunk);
    if (calls.kind !== 'ok') return calls;
    // The platform may take it all the same: then nobody would get the calls.
    const inbound = isTaken(calls.value)
      ? withoutCalls
      : await this.#replaceOrMake('inbound', ids.inbound_trunk_id, trunk, number);
    if (inbound.kind !== 'ok') return inbound;
    const outbound = await this.#replaceOrMake('outbound', ids.outbound_trunk_id, trunk, number);
    if (outbound.kind !== 'ok') return outbound;
    return { kind: 'ok', value: { inbound_trunk_id: inbound.value, outbound_trunk_id: outbound.value } };
  }

  async #replaceOrMake(
    direction: TrunkDirection,
    id: string,
    trunk: PlatformTrunk,
    number: string,
  ): Promise<ProviderResult<string>> {
    const replaced = await this.#replaceOne(direction, id, trunk);
    if (replaced.kind === 'ok') return { kind: 'ok', value: id };
    if (!isGone(replaced))
      return direction === 'inbound' ? this.#inbound.unlessTaken(replaced, trunk) : replaced;
    // One whose making nobody has an answer about would take the calls of the new one.
    for (const one of new Set([number, trunk.number])) {
      const failure = await deleteTrunks(this.#platform, direction, { ...trunk, number: one });
      if (failure) return failure;
    }
    if (direction === 'outbound') return this.#platform.createTrunk(direction, trunk);
    const ready = await this.#platform.receiveCalls();
    return ready.kind === 'ok' ? this.#inbound.make(trunk) : ready;
  }

  /** Has the calls to its number, which are of nobody, come in by it: its id, or `nothingInbound` where others were quicker. */
  async takeCalls(wanted: WantedTrunk): Promise<ProviderResult<string>> {
    const ready = await this.#platform.receiveCalls();
    return ready.kind === 'ok' ? this.#inbound.take(this.#toPlatform(wanted)) : ready;
  }

  /** Whose the calls to its number are. */
  callsOf({ id, number }: { readonly id: number; readonly number: string }) {
    return this.#inbound.callsOf({ reference: sipTrunkStream(id), number });
  }

  async #replaceOne(
    direction: TrunkDirection,
    id: string,
    trunk: PlatformTrunk,
  ): Promise<ProviderResult<undefined>> {
    return id === nothingInbound ? notThere : this.#platform.replaceTrunk(direction, id, trunk);
  }

  /**
   * Changes what the platform has; what it has no more stays gone, and so does what is inbound where calls to its number
   * come in by another one since. Whether that is so. May be repeated.
   */
  async replaceKnown(ids: PlatformIds, wanted: WantedTrunk): Promise<ProviderResult<boolean>> {
    const trunk = this.#toPlatform(wanted);
    const outbound = await this.#replaceOne('outbound', ids.outbound_trunk_id, trunk);
    if (outbound.kind !== 'ok' && !isGone(outbound)) return outbound;
    const id = ids.inbound_trunk_id;
    const inbound = await this.#replaceOne('inbound', id, trunk);
    if (inbound.kind === 'ok') return isDisplaced(await this.#inbound.unlessShared(id, trunk));
    if (isGone(inbound)) return { kind: 'ok', value: false };
    const taken = await this.#inbound.unlessTaken(inbound, trunk);
    return isDisplaced(taken.kind === 'ok' ? await this.#inbound.giveWay(id) : taken);
  }

  /** Whatever there is of it but what is `known`, also what nobody has an answer about. May be repeated. */
  async remove(id: number, number: string, known?: PlatformIds): Promise<ProviderFailure | null> {
    const reference = sipTrunkStream(id);
    for (const direction of directions) {
      const keep = known && idOf(known, direction);
      const failure = await deleteTrunks(this.#platform, direction, { reference, number }, keep);
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

const notThere = { kind: 'rejected', code: 'not_found', message: 'It was never made.' } as const;

const isGone = (failure: ProviderFailure): boolean =>
  failure.kind === 'rejected' && failure.code === 'not_found';

const isDisplaced = (kept: ProviderResult<string>): ProviderResult<boolean> =>
  kept.kind === 'ok' ? { kind: 'ok', value: kept.value === nothingInbound } : kept;
