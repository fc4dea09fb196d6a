import type { PlatformTrunk, ProviderResult, VoicePlatform } from '@parley/providers';
import type { VoiceConfig } from './config.ts';

type Platform = Pick<VoicePlatform, 'createTrunk' | 'findTrunks' | 'replaceTrunk'>;

/**
 * The outbound trunk to the carrier of bought numbers, which calls of all accounts share. It is made on first use,
 * found again afterwards, and updated with the configured password. Another carrier, or another username there, makes
 * another trunk, as installations may share the voice platform.
 */
export class CarrierLine {
  readonly #platform: Platform;
  readonly #trunk: PlatformTrunk;
  #opening: Promise<ProviderResult<string>> | undefined;
  /** The platform's id of the trunk, once it is known. */
  #id: string | undefined;

  constructor(platform: Platform, config: VoiceConfig) {
    this.#platform = platform;
    this.#trunk = trunkOf(config);
  }

  /** The platform's id of the trunk, which is found or made on the first call. */
  async open(): Promise<ProviderResult<string>> {
    this.#opening ??= this.#findOrMake();
    const opened = await this.#opening;
    if (opened.kind === 'ok') this.#id = opened.value;
    else this.#opening = undefined;
    return opened;
  }

  /** Has the trunk looked for anew, as the platform no longer knows this id; unless another call has done that already. */
  forget(id: string): void {
    if (this.#id !== id) return;
    this.#id = undefined;
    this.#opening = undefined;
  }

  async #findOrMake(): Promise<ProviderResult<string>> {
    const found = await this.#platform.findTrunks('outbound', this.#trunk);
    if (found.kind !== 'ok') return found;
    // Copies of the service may have made it at the same time: all use the first one from then on.
    const [first] = [...found.value].sort();
    if (first === undefined) return this.#platform.createTrunk('outbound', this.#trunk);
    const replaced = await this.#platform.replaceTrunk('outbound', first, this.#trunk);
    return replaced.kind === 'ok' ? { kind: 'ok', value: first } : replaced;
  }
}

const trunkOf = ({
  CARRIER_SIP_ADDRESS: address,
  CARRIER_SIP_USERNAME: username,
  CARRIER_SIP_PASSWORD: password,
}: VoiceConfig): PlatformTrunk => ({
  reference: `parley-carrier ${username ?? ''}@${address}`,
  name: 'parley-carrier',
  number: '*',
  address,
  credentials: username === undefined ? null : { username, password },
  allowedIps: null,
  country: null,
  headers: {},
});
