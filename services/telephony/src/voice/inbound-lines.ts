import type { PlatformTrunk, ProviderFailure, ProviderResult, VoicePlatform } from '@parley/providers';
import { sipTrunkCategory } from '../sip-trunk/sip-trunk.ts';
import { deleteTrunks } from './delete-trunks.ts';

type Platform = Pick<
  VoicePlatform,
  'createTrunk' | 'deleteTrunk' | 'findTrunks' | 'inboundOf' | 'receiveCalls' | 'replaceTrunk'
>;

/** One SIP trunk may come after another that has just gone. */
const mostDisplacements = 3;

/** A number that is bought, and our own word for it. */
export type InboundNumber = Pick<PlatformTrunk, 'reference' | 'number'>;

/**
 * By which calls of bought numbers come in: the voice platform turns away what is for a number that no trunk of it has.
 * Both may be repeated, also by two at once, and are `null` when they are done.
 */
export class InboundLines {
  readonly #platform: Platform;
  readonly #allowedIps: readonly string[] | null;

  /** `allowedIps`: where the carrier calls from; `null` leaves that to the platform, and to what is set there. */
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
      // Also where it is there: a SIP trunk that was made at the same moment may be, too.
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
    // Its answer may have got lost, or somebody was quicker.
    const again = await this.#platform.findTrunks('inbound', line);
    return again.kind === 'ok' && again.value.length > 0 ? null : made;
  }

  /** The addresses that are configured by now go for lines from before, too. */
  async #restrict(line: InboundNumber, ids: readonly string[]): Promise<ProviderFailure | null> {
    if (!this.#allowedIps) return null;
    for (const id of ids) {
      const replaced = await this.#platform.replaceTrunk('inbound', id, trunkOf(line, this.#allowedIps));
      if (replaced.kind !== 'ok') return replaced;
    }
    return null;
  }

  /**
   * Any account may claim any number for its SIP trunk: calls to a number that is bought do not come in by that. Whether
   * there was one.
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
