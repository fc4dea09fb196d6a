import type { Secret } from '@parley/process-kit';
import type { ProviderResult } from './provider-result.ts';

/** One direction of a SIP trunk; each direction is an object of its own on the voice platform. */
export type TrunkDirection = 'inbound' | 'outbound';

export interface PlatformTrunk {
  /** Our id of the trunk, by which it is found again. */
  readonly reference: string;
  readonly name: string;
  /** The number that is called through it, and from which it calls; `*` lets an outbound trunk call from any number. */
  readonly number: string;
  /** Host that outbound calls go to, with a port if need be. */
  readonly address: string;
  readonly credentials: { readonly username: string; readonly password: Secret } | null;
  /** IP addresses that inbound calls may come from; `null` makes callers authenticate with the credentials instead. */
  readonly allowedIps: readonly string[] | null;
  /** ISO 3166-1 alpha-2: the country from which calls leave the platform; `null` lets the platform choose. */
  readonly country: string | null;
  /** Sent with each outbound call. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A SIP server that is called without a trunk, over TLS and with encrypted media. */
export interface SipServer {
  /** Host, with a port if need be. */
  readonly address: string;
  readonly credentials: { readonly username: string; readonly password: Secret };
}

/** What the agent in a room needs to know of its call, as JSON. */
export type CallBrief = Readonly<Record<string, unknown>>;

/** A call to dial once, into a room of its own. */
export interface OutgoingCall {
  /**
   * Our id of the call's room. The platform never dials the same participant into a room twice, so a repetition does
   * not ring again.
   */
  readonly room: string;
  /** How the call leaves the platform: by one of its trunks, or straight to a server that it keeps no settings of. */
  readonly via: { readonly trunkId: string } | { readonly server: SipServer };
  /** The number in the form that the server at the other end expects. */
  readonly to: string;
  readonly from: string;
  readonly brief: CallBrief;
  /** Seconds that it rings before it ends as not answered. */
  readonly ringingTimeoutS: number;
  /** Seconds after which the platform ends it. */
  readonly maxDurationS: number;
}

/** Port of the voice platform. Every call ends within the adapter's time limit, which is below 10 s. */
export interface VoicePlatform {
  /**
   * Creates one direction of a trunk; the value is the platform's id of it. A rejection has the code `conflict` when
   * calls to the number already come in by another trunk.
   */
  createTrunk(direction: TrunkDirection, trunk: PlatformTrunk): Promise<ProviderResult<string>>;
  /** The platform's ids of all trunks with this reference. */
  findTrunks(
    direction: TrunkDirection,
    trunk: Pick<PlatformTrunk, 'reference' | 'number'>,
  ): Promise<ProviderResult<readonly string[]>>;
  /**
   * The references of all trunks by which calls to the number come in, whether they write it with or without its plus.
   * The platform refuses a second one unless that is written differently, and then turns away calls that could come in
   * by both.
   */
  inboundOf(number: string): Promise<ProviderResult<readonly string[]>>;
  /** Replaces a trunk's settings as a whole. May be repeated. */
  replaceTrunk(
    direction: TrunkDirection,
    id: string,
    trunk: PlatformTrunk,
  ): Promise<ProviderResult<undefined>>;
  /** Deletes a trunk; `ok` as well when it is gone already. */
  deleteTrunk(id: string): Promise<ProviderResult<undefined>>;
  /** Sets the platform up so that each inbound call gets a room of its own with an agent in it. May be repeated. */
  receiveCalls(): Promise<ProviderResult<undefined>>;
  /** Corrects that set-up to the agent that is configured now; does nothing when it was never made. May be repeated. */
  keepAgent(): Promise<ProviderResult<undefined>>;
  /** Opens the room and dials; `unknown` when the telephone may ring. */
  call(call: OutgoingCall): Promise<ProviderResult<undefined>>;
  /** Gives the agent the brief of an inbound call; `ok` as well when the caller has left. May be repeated. */
  introduce(
    caller: { readonly room: string; readonly identity: string },
    brief: CallBrief,
  ): Promise<ProviderResult<undefined>>;
  /** Whether somebody is on the telephone in the room. */
  isOnCall(room: string): Promise<ProviderResult<boolean>>;
  /** Ends the call; `ok` as well when there is none. May be repeated. */
  hangUp(room: string): Promise<ProviderResult<undefined>>;
}
