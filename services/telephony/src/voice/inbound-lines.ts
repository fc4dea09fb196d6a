import type { PlatformTrunk, ProviderFailure, ProviderResult, VoicePlatform } from '@parley/providers';
import { sipTrunkCategory } from '../sip-trunk/sip-trunk.ts';
import { deleteTrunks } from './delete-trunks.ts';

type Platform = Pick<
  VoicePlatform,
  'createTrunk' | 'deleteTrunk' | 'findTrunks' | 'inboundOf' | 'receiveCalls' | 'replaceTrunk'
>;

/** SIP trunks that are removed one after another, as a new one may come after one that has just gone. */
const mostDisplacements = 3;

/** A bought number, and our reference of its line. */
export type InboundNumber = Pick<PlatformTrunk, 'reference' | 'number'>;

/**
 * Inbound trunks of bought numbers: the voice platform turns calls away to numbers for which it has no trunk. `open`
 * and `close` may be repeated, also by two processes at once, and return `null` when they are done.
 */
export class InboundLines {
  readonly #platform: Platform;
  readonly #allowedIps: readonly string[] | null;

  /** `allowedIps`: IP addresses from which the carrier calls; `null` leaves the platform's settings as they are. */
  constructor(platform: Platform, allowedIps: readonly string[] | null = null) {
    this.#platform = platform;
    this.#allowedIps = allowedIps;
  }

  async open(line: InboundNumber): Promise<ProviderFailure | null> {
    const ready = await this.#platform.receiveCalls();
    if (ready.kind !== 'ok') return ready;
    for (let displacements = 0; ; displacements += 1) {
      const failure = await this.#make(line);
      if (failure && failure.kind !== 'rejected') return failure;
      // Also after success: a SIP trunk may have been made at the same moment.
      const displaced = await this.#displaceTrunks(line);
      if (displaced.kind !== 'ok') return displaced;
      if (!failure || !displaced.value || displacements === mostDisplacements) return failure;
    }
  }

  async #make(line: InboundNumber): Promise<ProviderFailure | null> {
    const found = await this.#platform.findTrunks('inbound', line);
    if (found.kind !== 'ok') return found;
    if (found.value.length > 0) return this.#restrict(line, found.value);
    const made = await this.#platform.createTrunk('inbound', trunkOf(line, this.#allowedIps));
    if (made.kind === 'ok') return null;
    // The answer may have been lost, or another process was faster.
    const again = await this.#platform.findTrunks('inbound', line);
    return again.kind === 'ok' && again.value.length > 0 ? null : made;
  }

  /** Applies the configured addresses to lines that are there already. */
  async #restrict(line: InboundNumber, ids: readonly string[]): Promise<ProviderFailure | null> {
    if (!this.#allowedIps) return null;
    for (const id of ids) {
      const replaced = await this.#platform.replaceTrunk('inbound', id, trunkOf(line, this.#allowedIps));
      if (replaced.kind !== 'ok') return replaced;
    }
    return null;
  }

  /**
   * Removes customers' SIP trunks by which calls to the bought number would come in, as any account may enter any
   * number. Whether there was one.
   */
  async #displaceTrunks({ number }: InboundNumber): Promise<ProviderResult<boolean>> {
    const found = await this.#platform.inboundOf(number);
    if (found.kind !== 'ok') return found;
    const inTheWay = found.value.filter(isSipTrunk);
    for (const reference of inTheWay) {
      const failure = await deleteTrunks(this.#platform, 'inbound', { reference, number });
      if (failure) return failure;
    }
    return { kind: 'ok', value: inTheWay.length > 0 };
  }

  close(line: InboundNumber): Promise<ProviderFailure | null> {
    return deleteTrunks(this.#platform, 'inbound', line);
  }
}

const isSipTrunk = (reference: string): boolean => reference.startsWith(`${sipTrunkCategory}-`);

const trunkOf = (
  { reference, number }: InboundNumber,
  allowedIps: readonly string[] | null,
): PlatformTrunk => ({
  reference,
  name: number,
  number,
  address: '',
  credentials: null,
  allowedIps,
  country: null,
  headers: {},
});
