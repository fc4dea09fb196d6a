import type { PlatformTrunk, ProviderResult, VoicePlatform } from '@parley/providers';
import type { VoiceConfig } from './config.ts';

type Platform = Pick<VoicePlatform, 'createTrunk' | 'findTrunks' | 'replaceTrunk'>;

/**
 * The way out to the carrier that bought numbers are at: a trunk that calls of all accounts share, made when it is needed
 * first, found again afterwards, and given the password that is configured by then. One to another carrier, or as another
 * customer of it, is another line: installations may share the voice platform.
 */
export class CarrierLine {
  readonly #platform: Platform;
  readonly #trunk: PlatformTrunk;
  #opening: Promise<ProviderResult<string>> | undefined;

  constructor(platform: Platform, config: VoiceConfig) {
    this.#platform = platform;
    this.#trunk = trunkOf(config);
  }

  /** The platform's id of it. */
  async open(): Promise<ProviderResult<string>> {
    this.#opening ??= this.#findOrMake();
    const opened = await this.#opening;
    if (opened.kind !== 'ok') this.forget();
    return opened;
  }

  /** The platform does not know it any more. */
  forget(): void {
    this.#opening = undefined;
  }

  async #findOrMake(): Promise<ProviderResult<string>> {
    const found = await this.#platform.findTrunks('outbound', this.#trunk);
    if (found.kind !== 'ok') return found;
    // Copies that make it at the same time all take the same one afterwards.
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
