import type { Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { FairSemaphore } from '@parley/batching';
import type { Dispatcher } from 'undici';
import { charsetOf } from './charset.ts';
import { checkUrl } from './check-url.ts';
import { type FailureReason, messageOf, NoPlace, reasonOf } from './failure.ts';
import { guardedConnector } from './guarded-connector.ts';
import { LateAgent } from './late-agent.ts';
import { askNameServers, type ResolveHost } from './resolve-host.ts';
import { unpackAnswer } from './unpack-answer.ts';

interface OutgoingRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Requests with the same one share its places; the URL's origin when absent. */
  readonly endpoint?: string;
  readonly signal?: AbortSignal;
}

export type OutgoingResult =
  /**
   * Any status: redirects are not followed. `body` is unpacked, and read in the charset that it is said to be in, else as
   * UTF-8.
   */
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
      /** The body was longer than is read, or did not end in time. */
      readonly isBodyCut: boolean;
      readonly durationMs: number;
    }
  /** `message` is fit to be shown to the one who chose the URL. */
  | {
      readonly kind: 'failed';
      readonly reason: FailureReason;
      readonly message: string;
      readonly durationMs: number;
    };

export interface OutgoingHttpOptions {
  readonly allowLoopback: boolean;
  /** From the connection to the end of the body; 15,000 when absent. Waiting for a place does not count. */
  readonly timeoutMs?: number;
  /** How much of a body is read; 20,000 when absent. */
  readonly maxBodyBytes?: number;
  /** Requests to one endpoint at a time; 4 when absent. */
  readonly maxPerEndpoint?: number;
  /** How long a request waits for a place at its endpoint, else `no_place`; until its signal aborts when absent. */
  readonly maxWaitMs?: number;
  readonly resolve?: ResolveHost;
}

/** Calls URLs that others chose. */
export interface OutgoingHttp {
  /** Never rejects. */
  request(request: OutgoingRequest): Promise<OutgoingResult>;
  /** Ends what is under way; it fails as `aborted`, and so does whatever comes later. */
  close(): Promise<void>;
}

/** Those that say how a message is framed, or to whom it goes, are ours to set. */
const reservedHeaders =
  /^(host|connection|keep-alive|transfer-encoding|content-length|upgrade|te|trailer|expect|proxy-.*)$/i;

/** Whether a request with a header of this name is refused. */
export const isReservedHeader = (name: string): boolean => reservedHeaders.test(name);

/**
 * A client for URLs that others chose: HTTP/1.1 to public addresses only. Names are resolved for each connection, and refused
 * if any of their addresses is not allowed. Follows no redirects, and reads at most 16 KiB of headers and `maxBodyBytes` of
 * body. Requests beyond `maxPerEndpoint` wait for a place as long as their `signal` lets them.
 */
export function createOutgoingHttp(options: OutgoingHttpOptions): OutgoingHttp {
  const { allowLoopback, timeoutMs = 15_000, maxBodyBytes = 20_000, maxPerEndpoint = 4, maxWaitMs } = options;
  const policy = { allowLoopback };
  const places = new FairSemaphore({ maxPerKey: maxPerEndpoint });
  const agent = new LateAgent(({ buildConnector }) => ({
    connect: guardedConnector(buildConnector, {
      policy,
      timeoutMs,
      resolve: options.resolve ?? askNameServers,
    }),
    allowH2: false,
    pipelining: 1,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxHeaderSize: 16_384,
  }));

  async function placeFor(endpoint: string, asked: AbortSignal | undefined): Promise<() => void> {
    if (maxWaitMs === undefined) return places.acquire(endpoint, asked);
    const { signal, settled } = deadlineOf(maxWaitMs, asked, () => new NoPlace());
    return places.acquire(endpoint, signal).finally(settled);
  }

  async function call(url: URL, request: OutgoingRequest, startedAt: number): Promise<OutgoingResult> {
    const { signal, settled } = deadlineOf(timeoutMs, request.signal, noAnswer);
    try {
      const response = await agent.request(url, {
        method: request.method,
        headers: { ...request.headers },
        body: request.body ?? null,
        signal,
      });
      const { headers, body } = unpackAnswer({
        headers: flatten(response.headers),
        body: response.body,
      });
      const { bytes, isCut } = await readUpTo(body, maxBodyBytes);
      return {
        kind: 'answered',
        status: response.statusCode,
        headers,
        body: decoderOf(headers['content-type']).decode(bytes),
        isBodyCut: isCut,
        durationMs: since(startedAt),
      };
    } finally {
      settled();
    }
  }

  return {
    async request(request) {
      let startedAt = performance.now();
      const failed = (reason: FailureReason): OutgoingResult => ({
        kind: 'failed',
        reason,
        message: messageOf(reason),
        durationMs: since(startedAt),
      });
      const checked = checkUrl(request.url, policy);
      if (checked.kind === 'refused') return failed('refused');
      if (Object.keys(request.headers ?? {}).some(isReservedHeader)) return failed('invalid_request');
      let giveBack: (() => void) | undefined;
      try {
        giveBack = await placeFor(request.endpoint ?? checked.url.origin, request.signal);
        startedAt = performance.now();
        return await call(checked.url, request, startedAt);
      } catch (error) {
        return failed(request.signal?.aborted ? 'aborted' : reasonOf(error));
      } finally {
        giveBack?.();
      }
    },
    close: () => agent.destroy(),
  };
}

const noAnswer = (): Error => new DOMException('There was no answer in time.', 'TimeoutError');

/** Aborted after so long, or when the caller's is. Nothing of it is left once it has settled. */
function deadlineOf(timeoutMs: number, asked: AbortSignal | undefined, late: () => Error) {
  const deadline = new AbortController();
  const leave = () => deadline.abort(asked?.reason);
  const timer = setTimeout(() => deadline.abort(late()), timeoutMs);
  asked?.addEventListener('abort', leave, { once: true });
  if (asked?.aborted) leave();
  return {
    signal: deadline.signal,
    settled() {
      clearTimeout(timer);
      asked?.removeEventListener('abort', leave);
    },
  };
}

const since = (startedAt: number): number => Math.round(performance.now() - startedAt);

/** The status is known by then, and it is the answer: a body that breaks off or drips does not take it back. */
async function readUpTo(body: Readable, maxBytes: number): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  let isCut = false;
  try {
    // Leaving the loop destroys the stream, and with it the connection.
    for await (const chunk of body) {
      const bytes = Buffer.from(chunk);
      isCut = size + bytes.length > maxBytes;
      chunks.push(isCut ? bytes.subarray(0, maxBytes - size) : bytes);
      size += bytes.length;
      if (isCut) break;
    }
  } catch {
    isCut = true;
  }
  return { bytes: Buffer.concat(chunks), isCut };
}

/** Of a charset that nobody knows, what can be read as UTF-8 is: the answer has been given. */
function decoderOf(contentType: string | undefined): TextDecoder {
  try {
    return new TextDecoder(charsetOf(contentType));
  } catch {
    return new TextDecoder();
  }
}

const flatten = (headers: Dispatcher.ResponseData['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
