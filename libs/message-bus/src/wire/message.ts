/** What travels beside a payload: NATS headers of a single message, or the head line of a frame's entry. */
export interface MessageContext {
  /** The account that asks; `null` for the platform's own messages. */
  readonly accountId: number | null;
  readonly actor: {
    readonly kind: 'api_key' | 'operator' | 'automation' | 'provider' | 'system';
    readonly id: string;
  };
  /** Commands only: effective once for ever. */
  readonly commandId: string | null;
  /** Hash of the request's content; `null` when the caller did not choose the command id. */
  readonly fingerprint: string | null;
  /** The request id: on every event that this message causes, directly or not. */
  readonly correlationId: string;
  /** The event that this message follows from, when it is one: in a trace, what comes of it stands below that event. */
  readonly causationId?: string;
  /** Expected version of the resource, from `If-Match`. */
  readonly expectedVersion: number | null;
  /** The scheme and authority the client used, for absolute URLs in answers. */
  readonly baseUrl: string | null;
  /** Milliseconds from receipt until the caller no longer waits. */
  readonly timeoutMs: number;
  readonly traceparent?: string;
  /** How deep the run of an automation is that asks, or that what is asked for goes back to. */
  readonly chainDepth?: number | undefined;
}

type Essential = 'accountId' | 'actor' | 'correlationId' | 'timeoutMs';

/** The context of a message inside of the platform: `null` for what only a client's own request brings. */
export const internalContext = (
  own: Pick<MessageContext, Essential> & Partial<MessageContext>,
): MessageContext => ({
  commandId: null,
  fingerprint: null,
  expectedVersion: null,
  baseUrl: null,
  ...own,
});

/** A service's answer. `body` is JSON text that the gateway passes on as it is. */
export type BusReply =
  | {
      readonly kind: 'ok';
      readonly body: string;
      /** The body of a large answer as it came, in UTF-8: whoever passes it on need not decode it. */
      readonly bytes?: Buffer;
      /** Commands: log position after the change. */
      readonly position?: number;
      /** Single resources: stream version. */
      readonly version?: number;
      /** The answer of an earlier request with the same command id. */
      readonly replayed?: boolean;
    }
  | { readonly kind: 'rejected'; readonly rejection: BusRejection };

export type OkReply = Extract<BusReply, { kind: 'ok' }>;

/** An expected "no" on the wire; `libs/contracts` lists the codes. */
export interface BusRejection {
  readonly code: string;
  readonly message?: string;
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds?: number;
  readonly acceptEncoding?: string;
  /** What the service needs is away for now, as its database: whoever asks may ask again and again. */
  readonly isOutage?: true;
}

/** No copy of the service listens, the connection is down, or the send queue is full: answer 503. */
export class ServiceUnavailable extends Error {
  override readonly name = 'ServiceUnavailable';
}

/** This process has asked for more than it may at once: asking again makes it worse. */
export class TooManyInFlight extends ServiceUnavailable {}

/** No answer within the deadline: the outcome is unknown; retry with the same command id. */
export class RequestTimedOut extends Error {
  override readonly name = 'RequestTimedOut';
}

/** Whoever was asked gave no answer: it is away, or silent. */
export const isUnanswered = (error: unknown): error is ServiceUnavailable | RequestTimedOut =>
  error instanceof ServiceUnavailable || error instanceof RequestTimedOut;

/**
 * Whether a rejection is about the service's present state and not about the request: the same request may succeed
 * later.
 */
export const isMomentary = ({ code }: BusRejection): boolean =>
  code === 'unavailable' || code === 'contended';

export interface BusRequest {
  readonly service: string;
  /** `cmd.<service>.<name>` or `qry.<service>.<name>`: always a constant. */
  readonly subject: string;
  /** Compact JSON text (no raw line breaks). */
  readonly payload: string;
  readonly context: MessageContext;
  /** How long the answer is waited for; `context.timeoutMs`, after which nobody begins with it any more, when absent. */
  readonly waitMs?: number;
}

/** Asks services. Requests to one service that come right after one another share frames of at most 256 KiB. */
export interface BusClient {
  /** Rejects with `ServiceUnavailable` or `RequestTimedOut`; an expected "no" is a value. */
  request(request: BusRequest): Promise<BusReply>;
  close(): Promise<void>;
}

/** The request is larger than NATS carries (1 MiB unless configured): a defect of the caller, who must bound its input. */
export class RequestTooLarge extends Error {
  override readonly name = 'RequestTooLarge';
}
