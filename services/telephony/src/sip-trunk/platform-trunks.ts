import type { Secret } from '@parley/process-kit';
import type {
  PlatformTrunk,
  ProviderFailure,
  ProviderResult,
  TrunkDirection,
  VoicePlatform,
} from '@parley/providers';
import { deleteTrunks } from '../voice/delete-trunks.ts';
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

/** Whose the calls to a trunk's number are; `shared` is what two get that the platform has taken both, and no calls. */
type CallsOf = 'its own' | 'shared' | 'of others' | 'of nobody';

const directions = ['inbound', 'outbound'] as const satisfies readonly TrunkDirection[];

const idOf = (ids: PlatformIds, direction: TrunkDirection): string =>
  direction === 'inbound' ? ids.inbound_trunk_id : ids.outbound_trunk_id;

/**
 * A customer's SIP trunk on the voice platform: two objects, one for each direction, that are there both or not at all.
 * But calls to a number come in by one trunk there: while another one has them, there is the outbound object alone.
 */
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
    const inbound = await this.#makeInbound(trunk);
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
    const calls = await this.#callsOf(trunk);
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
    if (!isGone(replaced)) return direction === 'inbound' ? this.#unlessTaken(replaced, trunk) : replaced;
    // One whose making nobody has an answer about would take the calls of the new one.
    for (const one of new Set([number, trunk.number])) {
      const failure = await deleteTrunks(this.#platform, direction, { ...trunk, number: one });
      if (failure) return failure;
    }
    if (direction === 'outbound') return this.#platform.createTrunk(direction, trunk);
    const ready = await this.#platform.receiveCalls();
    return ready.kind === 'ok' ? this.#makeInbound(trunk) : ready;
  }

  /** Has the calls to its number, which are of nobody, come in by it: its id, or `nothingInbound` where others were quicker. */
  async takeCalls(wanted: WantedTrunk): Promise<ProviderResult<string>> {
    const ready = await this.#platform.receiveCalls();
    return ready.kind === 'ok' ? this.#tryInbound(this.#toPlatform(wanted)) : ready;
  }

  /** Whose the calls to its number are. */
  callsOf({ id, number }: { readonly id: number; readonly number: string }) {
    return this.#callsOf({ reference: sipTrunkStream(id), number });
  }

  async #makeInbound(trunk: PlatformTrunk): Promise<ProviderResult<string>> {
    const calls = await this.#callsOf(trunk);
    if (calls.kind !== 'ok') return calls;
    return calls.value === 'of others' ? withoutCalls : this.#tryInbound(trunk);
  }

  async #tryInbound(trunk: PlatformTrunk): Promise<ProviderResult<string>> {
    const made = await this.#platform.createTrunk('inbound', trunk);
    if (made.kind !== 'ok') return this.#unlessTaken(made, trunk);
    return this.#unlessShared(made.value, trunk);
  }

  /**
   * The platform looks whether others have the calls before it keeps a trunk, and not for those that write the number
   * without its plus: whoever sees another one now gives way.
   */
  async #unlessShared(id: string, trunk: PlatformTrunk): Promise<ProviderResult<string>> {
    const calls = await this.#callsOf(trunk);
    if (calls.kind !== 'ok') return calls;
    return calls.value === 'shared' ? this.#giveWay(id) : { kind: 'ok', value: id };
  }

  async #giveWay(id: string): Promise<ProviderResult<string>> {
    const deleted = await this.#platform.deleteTrunk(id);
    return deleted.kind === 'ok' ? withoutCalls : deleted;
  }

  /** What a refusal comes to. Who had the calls may have given way since: nobody has them then, until somebody looks again. */
  async #unlessTaken(refused: ProviderFailure, trunk: PlatformTrunk): Promise<ProviderResult<string>> {
    if (isConflict(refused)) return withoutCalls;
    const calls = refused.kind === 'rejected' ? await this.#callsOf(trunk) : null;
    return calls?.kind === 'ok' && isTaken(calls.value) ? withoutCalls : refused;
  }

  async #callsOf({
    reference,
    number,
  }: Pick<PlatformTrunk, 'reference' | 'number'>): Promise<ProviderResult<CallsOf>> {
    const found = await this.#platform.inboundOf(number);
    if (found.kind !== 'ok') return found;
    if (found.value.length === 0) return { kind: 'ok', value: 'of nobody' };
    if (!found.value.includes(reference)) return { kind: 'ok', value: 'of others' };
    return { kind: 'ok', value: found.value.every((one) => one === reference) ? 'its own' : 'shared' };
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
    if (inbound.kind === 'ok') return isDisplaced(await this.#unlessShared(id, trunk));
    if (isGone(inbound)) return { kind: 'ok', value: false };
    const taken = await this.#unlessTaken(inbound, trunk);
    return isDisplaced(taken.kind === 'ok' ? await this.#giveWay(id) : taken);
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

const withoutCalls = { kind: 'ok', value: nothingInbound } as const;

const isTaken = (calls: CallsOf): boolean => calls === 'of others' || calls === 'shared';

const isRejected =
  (code: string) =>
  (failure: ProviderFailure): boolean =>
    failure.kind === 'rejected' && failure.code === code;

const isConflict = isRejected('conflict');
const isGone = isRejected('not_found');

const isDisplaced = (kept: ProviderResult<string>): ProviderResult<boolean> =>
  kept.kind === 'ok' ? { kind: 'ok', value: kept.value === nothingInbound } : kept;
