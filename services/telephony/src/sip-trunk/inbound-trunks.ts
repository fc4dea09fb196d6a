import type { PlatformTrunk, ProviderFailure, ProviderResult, VoicePlatform } from '@parley/providers';
import { nothingInbound } from './sip-trunk.ts';

/** Whose the calls to a trunk's number are; `shared` is what two get that the platform has taken both, and no calls. */
type CallsOf = 'its own' | 'shared' | 'of others' | 'of nobody';

/** What is inbound of customers' SIP trunks: calls to a number come in by one trunk of the platform, or by none. */
export class InboundTrunks {
  readonly #platform: Pick<VoicePlatform, 'createTrunk' | 'deleteTrunk' | 'inboundOf'>;

  constructor(platform: Pick<VoicePlatform, 'createTrunk' | 'deleteTrunk' | 'inboundOf'>) {
    this.#platform = platform;
  }

  /** One for a new trunk: its id, or `nothingInbound` where others have the calls. */
  async make(trunk: PlatformTrunk): Promise<ProviderResult<string>> {
    const calls = await this.callsOf(trunk);
    if (calls.kind !== 'ok') return calls;
    return calls.value === 'of others' ? withoutCalls : this.take(trunk);
  }

  /** One for calls that are of nobody: its id, or `nothingInbound` where others were quicker. */
  async take(trunk: PlatformTrunk): Promise<ProviderResult<string>> {
    const made = await this.#platform.createTrunk('inbound', trunk);
    if (made.kind !== 'ok') return this.unlessTaken(made, trunk);
    return this.unlessShared(made.value, trunk);
  }

  /**
   * The platform looks whether others have the calls before it keeps a trunk, and not for those that write the number
   * without its plus: whoever sees another one now gives way.
   */
  async unlessShared(id: string, trunk: PlatformTrunk): Promise<ProviderResult<string>> {
    const calls = await this.callsOf(trunk);
    if (calls.kind !== 'ok') return calls;
    return calls.value === 'shared' ? this.giveWay(id) : { kind: 'ok', value: id };
  }

  /** Deletes the one of that id: the calls are others'. */
  async giveWay(id: string): Promise<ProviderResult<string>> {
    const deleted = await this.#platform.deleteTrunk(id);
    return deleted.kind === 'ok' ? withoutCalls : deleted;
  }

  /** What a refusal comes to. Who had the calls may have given way since: nobody has them then, until somebody looks again. */
  async unlessTaken(refused: ProviderFailure, trunk: PlatformTrunk): Promise<ProviderResult<string>> {
    if (isConflict(refused)) return withoutCalls;
    const calls = refused.kind === 'rejected' ? await this.callsOf(trunk) : null;
    return calls?.kind === 'ok' && isTaken(calls.value) ? withoutCalls : refused;
  }

  /** Whose the calls to a number are, for the trunk of that reference. */
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

export const withoutCalls = { kind: 'ok', value: nothingInbound } as const;

export const isTaken = (calls: CallsOf): boolean => calls === 'of others' || calls === 'shared';

const isConflict = (failure: ProviderFailure): boolean =>
  failure.kind === 'rejected' && failure.code === 'conflict';
