import type { Secret } from '@parley/process-kit';
import type { ProviderResult } from './provider-result.ts';

/** One direction of a SIP trunk; each direction is an object of its own on the voice platform. */
export type TrunkDirection = 'inbound' | 'outbound';

export interface PlatformTrunk {
  /** Our own word for it, by which it is found again. */
  readonly reference: string;
  readonly name: string;
  /** What it is called by, and calls from; `*` lets an outbound trunk call from any number. */
  readonly number: string;
  /** Host, with a port if need be: where outbound calls go. */
  readonly address: string;
  readonly credentials: { readonly username: string; readonly password: Secret } | null;
  /** Addresses that inbound calls may come from; `null` lets callers authenticate instead. */
  readonly allowedIps: readonly string[] | null;
  /** ISO 3166-1 alpha-2; `null` leaves it to the platform where calls leave from. */
  readonly country: string | null;
  /** Sent with each outbound call. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A SIP server that is called straight, over TLS and with encrypted media. */
export interface SipServer {
  /** Host, with a port if need be. */
  readonly address: string;
  readonly credentials: { readonly username: string; readonly password: Secret };
}

/** What the agent in a room needs to know of its call: JSON. */
export type CallBrief = Readonly<Record<string, unknown>>;

/** A call to dial once, into a room of its own. */
export interface OutgoingCall {
  /** Ours, used for this call only: the platform never puts the same call into a room twice. */
  readonly room: string;
  /** The way out: a trunk of the platform's, or a server that it keeps nothing of. */
  readonly via: { readonly trunkId: string } | { readonly server: SipServer };
  /** In the form that the server at its end understands. */
  readonly to: string;
  readonly from: string;
  readonly brief: CallBrief;
  /** Seconds that it rings before it ends as not answered. */
  readonly ringingTimeoutS: number;
  /** Seconds after which the platform ends it. */
  readonly maxDurationS: number;
}

/** The voice platform as telephony needs it. Every call ends within the adapter's time limit, always below 10 s. */
export interface VoicePlatform {
  /** Its id there. `conflict` is the code of a rejection because calls to the number come in by another trunk. */
  createTrunk(direction: TrunkDirection, trunk: PlatformTrunk): Promise<ProviderResult<string>>;
  /** The ids of all that carry the reference. */
  findTrunks(
    direction: TrunkDirection,
    trunk: Pick<PlatformTrunk, 'reference' | 'number'>,
  ): Promise<ProviderResult<readonly string[]>>;
  /**
   * The references of all by which calls to the number come in, also of those that have it without its plus: one, as the
   * platform turns calls away that could come in by two. It takes no second trunk, unless that writes the number otherwise.
   */
  inboundOf(number: string): Promise<ProviderResult<readonly string[]>>;
  /** May be repeated: it ends in the same state. */
  replaceTrunk(
    direction: TrunkDirection,
    id: string,
    trunk: PlatformTrunk,
  ): Promise<ProviderResult<undefined>>;
  /** May be repeated: what is gone already is deleted. */
  deleteTrunk(id: string): Promise<ProviderResult<undefined>>;
  /** Sees to it that inbound calls get a room of their own with an agent in it. May be repeated. */
  receiveCalls(): Promise<ProviderResult<undefined>>;
  /** Has the inbound calls that are seen to already go to the agent that is configured by now. May be repeated. */
  keepAgent(): Promise<ProviderResult<undefined>>;
  /** Dials once; `unknown` when it may ring. */
  call(call: OutgoingCall): Promise<ProviderResult<undefined>>;
  /** Tells the agent in a room what the call of somebody who came there is about; nobody, of who has left. May be repeated. */
  introduce(
    caller: { readonly room: string; readonly identity: string },
    brief: CallBrief,
  ): Promise<ProviderResult<undefined>>;
  /** Whether somebody is on the telephone in the room. */
  isOnCall(room: string): Promise<ProviderResult<boolean>>;
  /** Ends the call, if there is one. May be repeated. */
  hangUp(room: string): Promise<ProviderResult<undefined>>;
}
