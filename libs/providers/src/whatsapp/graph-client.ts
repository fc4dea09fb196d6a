import { dropUnstorable } from '@parley/contracts';
import { LateAgent } from '@parley/outgoing-http';
import { parseJson, type Secret } from '@parley/process-kit';
import { z } from 'zod';
import { ok, type ProviderFailure, type ProviderResult, unheard, wasNeverSent } from '../provider-result.ts';
import { createTurns } from '../turns.ts';

export interface GraphClientOptions {
  /** Scheme and host, for example `https://graph.facebook.com`. */
  readonly baseUrl: string;
  readonly apiVersion: string;
  readonly accessToken: Secret;
  /** Milliseconds that a request may wait for its turn; 2,000 when absent. One that has not left by then never does. */
  readonly turnTimeoutMs?: number;
}

/**
 * Client of the Graph API; it never repeats a request. `signal` is called when the request's turn has come, so that
 * waiting for the turn does not count; when the signal aborts, the answer is no longer waited for.
 */
export interface GraphClient {
  /** For requests that change nothing: the failure is never `unknown`. */
  get<T>(
    path: string,
    query: Readonly<Record<string, string>>,
    answer: z.ZodType<T>,
    signal: () => AbortSignal,
  ): Promise<ProviderResult<T>>;
  post<T>(
    path: string,
    body: object,
    answer: z.ZodType<T>,
    signal: () => AbortSignal,
  ): Promise<ProviderResult<T>>;
  close(): Promise<void>;
}

/** Milliseconds for connecting; a request without a connection by then was never sent. */
const connectTimeoutMs = 2_000;
/** A page of a hundred templates is far smaller; the limit keeps a faulty provider from filling our memory. */
const maxAnswerBytes = 4 * 1024 * 1024;
const maxConnections = 64;
/** Requests at once for one number or account, so that slow answers to one leave room for the others. */
const maxPerNode = 32;

/** A client with 64 connections at most; requests beyond that wait for their turn, fairly by number or account. */
export function createGraphClient(options: GraphClientOptions): GraphClient {
  const { baseUrl, apiVersion, accessToken, turnTimeoutMs = 2_000 } = options;
  const agent = new LateAgent(() => ({
    connect: { timeout: connectTimeoutMs },
    connections: maxConnections,
    maxResponseSize: maxAnswerBytes,
  }));
  const inTurn = createTurns({ max: maxConnections, maxPerKey: maxPerNode, timeoutMs: turnTimeoutMs });

  async function call<T>(
    method: 'GET' | 'POST',
    url: URL,
    body: object | null,
    answer: z.ZodType<T>,
    signal: AbortSignal,
  ): Promise<ProviderResult<T>> {
    try {
      const response = await agent.request(url, {
        method,
        signal,
        headers: {
          authorization: `Bearer ${accessToken.reveal()}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        body: body && JSON.stringify(body),
      });
      return readAnswer(response.statusCode, await response.body.text(), answer);
    } catch (error) {
      return failureOf(error);
    }
  }

  const urlOf = (path: string, query: Readonly<Record<string, string>> = {}): URL => {
    const url = new URL(`/${apiVersion}/${path}`, baseUrl);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url;
  };

  return {
    async get(path, query, answer, signal) {
      const result = await inTurn(nodeOf(path), () =>
        call('GET', urlOf(path, query), null, answer, signal()),
      );
      return result.kind === 'unknown' ? { ...result, kind: 'unavailable' } : result;
    },
    post: (path, body, answer, signal) =>
      inTurn(nodeOf(path), () => call('POST', urlOf(path), body, answer, signal())),
    close: () => agent.close(),
  };
}

/** The number or account that a request is for. */
const nodeOf = (path: string): string => path.split('/')[0] ?? '';

const graphError = z.object({
  error: z.object({
    message: z.string(),
    code: z.int(),
    error_subcode: z.int().optional(),
    /** An object, or at times a text. */
    error_data: z.object({ details: z.string().optional() }).optional().catch(undefined),
  }),
});

/**
 * Graph's codes for refusals that are not about the request itself: rate limits (first line), downtime or maintenance
 * (second line), and an expired token, which an operator replaces (third line). Nothing took effect.
 */
const untimely = new Set([
  ...[4, 17, 613, 80007, 80008, 130429, 131056],
  ...[2, 131016, 133004, 131057, 2494100],
  ...[0, 102, 190],
]);
/** Missing permission, and number not registered: definite refusals, although they come with status 500. */
const refusals = new Set([3, 131045]);
/** "Unknown error" and "something went wrong": whatever the status, the request may have taken effect. */
const uncertain = new Set([1, 131000]);

function readAnswer<T>(status: number, text: string, answer: z.ZodType<T>): ProviderResult<T> {
  const body = parseJson(text);
  if (status >= 200 && status < 300) {
    const parsed = answer.safeParse(body);
    return parsed.success ? ok(parsed.data) : unknown(`${status} with an answer that makes no sense`);
  }
  const error = graphError.safeParse(body).data?.error;
  const message = dropUnstorable(error?.error_data?.details ?? error?.message ?? `status ${status}`);
  if (status === 429 || status === 401 || (error && untimely.has(error.code)))
    return { kind: 'unavailable', message };
  const isCertain = error && refusals.has(error.code);
  if ((status >= 500 && !isCertain) || status === 408 || (error && uncertain.has(error.code)))
    return unknown(message);
  const code = error && [error.code, error.error_subcode].filter((part) => part !== undefined).join('/');
  return { kind: 'rejected', code: code ?? null, message };
}

function failureOf(error: unknown): ProviderFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // Of several addresses that were tried each has an error of its own, and they have no message together.
  const message = unheard('WhatsApp', (error instanceof Error && error.message) || code);
  return wasNeverSent(code) ? { kind: 'unavailable', message } : unknown(message);
}

const unknown = (message: string): ProviderFailure => ({ kind: 'unknown', message });
