import type { PlatformTrunk, ProviderFailure, ProviderResult, VoicePlatform } from '@parley/providers';
import { nothingInbound } from './sip-trunk.ts';

/**
 * By which trunk calls to a trunk's number come in: this one (`its own`), another one, or none. `shared`: the platform
 * has accepted this one and another, and then turns the calls away.
 */
type CallsOf = 'its own' | 'shared' | 'of others' | 'of nobody';

/**
 * The inbound direction of customers' SIP trunks. Calls to a number come in by one trunk of the platform, or by none.
 */
export class InboundTrunks {
  readonly #platform: Pick<VoicePlatform, 'createTrunk' | 'deleteTrunk' | 'inboundOf'>;

  constructor(platform: Pick<VoicePlatform, 'createTrunk' | 'deleteTrunk' | 'inboundOf'>) {
    this.#platform = platform;
  }

  /** Makes the inbound direction of a new trunk: its id, or `nothingInbound` when another one has the calls. */
  async make(trunk: PlatformTrunk): Promise<ProviderResult<string>> {
    const calls = await this.callsOf(trunk);
    return calls.kind === 'ok' ? this.#makeAlone(trunk, calls.value) : calls;
  }

  /**
   * Makes the inbound direction for calls that come in by no trunk: its id, or `nothingInbound` when another one was
   * faster.
   */
  take(trunk: PlatformTrunk): Promise<ProviderResult<string>> {
    return this.#makeAlone(trunk, 'of nobody');
  }

  async #makeAlone(trunk: PlatformTrunk, calls: CallsOf): Promise<ProviderResult<string>> {
    const made = await this.create(trunk, calls);
    return made.kind === 'ok' ? this.unlessShared(made.value, trunk) : made;
  }

  /**
   * Makes the inbound direction of a trunk, as `calls` to its number came in until now: its id, or `nothingInbound` when
   * another one has them. One that was made at the same moment is seen by `unlessShared`.
   */
  async create(trunk: PlatformTrunk, calls: CallsOf): Promise<ProviderResult<string>> {
    if (calls === 'of others') return withoutCalls;
    const made = await this.#platform.createTrunk('inbound', trunk);
    return made.kind === 'ok' ? made : this.unlessTaken(made, trunk);
  }

  /**
   * Gives way if another trunk has the calls as well: `nothingInbound` then, else `id`. The platform refuses a second
   * trunk before it keeps it, but not one at the same moment, nor one that writes the number without its plus.
   */
  async unlessShared(id: string, trunk: PlatformTrunk): Promise<ProviderResult<string>> {
    if (id === nothingInbound) return withoutCalls;
    const calls = await this.callsOf(trunk);
    if (calls.kind !== 'ok') return calls;
    return calls.value === 'shared' ? this.giveWay(id) : { kind: 'ok', value: id };
  }

  /** Deletes the inbound direction, as another trunk has the calls. */
  async giveWay(id: string): Promise<ProviderResult<string>> {
    const deleted = await this.#platform.deleteTrunk(id);
    return deleted.kind === 'ok' ? withoutCalls : deleted;
  }

  /**
   * Turns a failure to make it into `nothingInbound` if another trunk has, or had, the calls; other failures stay. That
   * trunk may have given way at the same time: then nobody has the calls until a timer looks again.
   */
  async unlessTaken(refused: ProviderFailure, trunk: PlatformTrunk): Promise<ProviderResult<string>> {
    if (isConflict(refused)) return withoutCalls;
    const calls = refused.kind === 'rejected' ? await this.callsOf(trunk) : null;
    return calls?.kind === 'ok' && isTaken(calls.value) ? withoutCalls : refused;
  }

  /** By which trunk calls to the number come in, seen from the trunk with this reference. */
  async callsOf({
    reference,
    number,
  }: Pick<PlatformTrunk, 'reference' | 'number'>): Promise<ProviderResult<CallsOf>> {
    const found = await this.#platform.inboundOf(number);
    if (found.kind !== 'ok') return found;
    if (found.value.length === 0) return { kind: 'ok', value: 'of nobody' };
    if (!found.value.includes(reference)) return { kind: 'ok', value: 'of others' };
    return { kind: 'ok', value: found.value.every((one) => one === reference) ? 'its own' : 'shared' };
  }
}

/** The result of a trunk to which no calls come in. */
export const withoutCalls = { kind: 'ok', value: nothingInbound } as const;

/** Whether another trunk has the calls, alone or beside this one. */
export const isTaken = (calls: CallsOf): boolean => calls === 'of others' || calls === 'shared';

const isConflict = (failure: ProviderFailure): boolean =>
  failure.kind === 'rejected' && failure.code === 'conflict';
