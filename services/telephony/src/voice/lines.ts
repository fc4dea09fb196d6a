import type { PlatformTrunk, ProviderResult, VoicePlatform } from '@parley/providers';
import type { VoiceConfig } from './config.ts';

type Platform = Pick<VoicePlatform, 'createTrunk' | 'findTrunks'>;

/** The platform's own ways out: to the carrier that bought numbers are at, and to the chat app. */
export type SharedLine = 'carrier' | 'chat';

/** Trunks that calls of all accounts share; each is made when it is needed first, and found again afterwards. */
export class SharedLines {
  readonly #platform: Platform;
  readonly #config: VoiceConfig;
  readonly #known = new Map<SharedLine, Promise<ProviderResult<string>>>();

  constructor(platform: Platform, config: VoiceConfig) {
    this.#platform = platform;
    this.#config = config;
  }

  /** The platform's id of the line. */
  async open(line: SharedLine): Promise<ProviderResult<string>> {
    const opening = this.#known.get(line) ?? this.#findOrMake(line);
    this.#known.set(line, opening);
    const opened = await opening;
    if (opened.kind !== 'ok') this.forget(line);
    return opened;
  }

  /** The platform does not know it any more. */
  forget(line: SharedLine): void {
    this.#known.delete(line);
  }

  async #findOrMake(line: SharedLine): Promise<ProviderResult<string>> {
    const trunk = this.#trunkOf(line);
    const found = await this.#platform.findTrunks('outbound', trunk);
    if (found.kind !== 'ok') return found;
    // Copies that make it at the same time all take the same one afterwards.
    const [first] = [...found.value].sort();
    return first === undefined ? this.#platform.createTrunk('outbound', trunk) : { kind: 'ok', value: first };
  }

  #trunkOf(line: SharedLine): PlatformTrunk {
    return {
      reference: `parley-${line}`,
      name: `parley-${line}`,
      number: '*',
      address: line === 'carrier' ? this.#config.CARRIER_SIP_ADDRESS : this.#config.CHAT_SIP_ADDRESS,
      credentials: line === 'carrier' ? credentialsOf(this.#config) : null,
      allowedIps: null,
      country: null,
      headers: {},
    };
  }
}

const credentialsOf = ({
  CARRIER_SIP_USERNAME: username,
  CARRIER_SIP_PASSWORD: password,
}: VoiceConfig): PlatformTrunk['credentials'] => (username === undefined ? null : { username, password });
