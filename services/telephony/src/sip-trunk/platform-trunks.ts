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

/** A trunk as the platform is to have it. */
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
 * Customers' SIP trunks on the voice platform: two objects for each, one for each direction. While calls to the number
 * come in by another trunk, there is only the outbound object.
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

  /**
   * Creates both directions. After a failure one of them may be there; `remove` clears up. Whoever asked waits for it, so
   * requests that need not wait for each other are made side by side.
   */
  async create(wanted: WantedTrunk): Promise<ProviderResult<PlatformIds>> {
    const trunk = this.#toPlatform(wanted);
    const [ready, calls] = await Promise.all([this.#platform.receiveCalls(), this.#inbound.callsOf(trunk)]);
    if (ready.kind !== 'ok') return ready;
    if (calls.kind !== 'ok') return calls;
    const made = await this.#inbound.create(trunk, calls.value);
    if (made.kind !== 'ok') return made;
    const [inbound, outbound] = await Promise.all([
      this.#inbound.unlessShared(made.value, trunk),
      this.#platform.createTrunk('outbound', trunk),
    ]);
    if (inbound.kind !== 'ok') return inbound;
    if (outbound.kind !== 'ok') return outbound;
    return { kind: 'ok', value: { inbound_trunk_id: inbound.value, outbound_trunk_id: outbound.value } };
  }

  /**
   * Changes both directions, and makes those that the platform no longer has, or never had; returns the ids of both.
   * `number` is the number before the change. May be repeated. After a failure one direction may be changed or new:
   * `replaceKnown` and `remove` clear up. They also remove the inbound direction to the former number when another
   * trunk has the calls to the new one.
   */
  async replace(ids: PlatformIds, wanted: WantedTrunk, number: string): Promise<ProviderResult<PlatformIds>> {
    const trunk = this.#toPlatform(wanted);
    const calls = await this.#inbound.callsOf(trunk);
    if (calls.kind !== 'ok') return calls;
    // The platform might accept it nevertheless, and then turn all calls to the number away.
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
    // One that was made without an answer would take the calls of the new one.
    for (const one of new Set([number, trunk.number])) {
      const failure = await deleteTrunks(this.#platform, direction, { ...trunk, number: one });
      if (failure) return failure;
    }
    if (direction === 'outbound') return this.#platform.createTrunk(direction, trunk);
    const ready = await this.#platform.receiveCalls();
    return ready.kind === 'ok' ? this.#inbound.make(trunk) : ready;
  }

  /**
   * Makes the inbound direction of a trunk to whose number calls come in by no trunk: its id, or `nothingInbound` when
   * another one was faster.
   */
  async takeCalls(wanted: WantedTrunk): Promise<ProviderResult<string>> {
    const ready = await this.#platform.receiveCalls();
    return ready.kind === 'ok' ? this.#inbound.take(this.#toPlatform(wanted)) : ready;
  }

  /** By which trunk calls to the trunk's number come in. */
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
   * Changes what the platform has of the trunk, and makes nothing that it no longer has. The inbound direction is
   * removed if calls to the number now come in by another trunk: the value tells whether that is so. May be repeated.
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

  /**
   * Removes all of the trunk that the platform has, also what was made without an answer, except `known`. `null` when
   * that is done. May be repeated.
   */
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
      // The proxy passes the call on to the address in this header.
      headers: proxy ? { 'X-Destination': settings.sip_address } : {},
    };
  }
}

const notThere = { kind: 'rejected', code: 'not_found', message: 'It was never made.' } as const;

const isGone = (failure: ProviderFailure): boolean =>
  failure.kind === 'rejected' && failure.code === 'not_found';

const isDisplaced = (kept: ProviderResult<string>): ProviderResult<boolean> =>
  kept.kind === 'ok' ? { kind: 'ok', value: kept.value === nothingInbound } : kept;
