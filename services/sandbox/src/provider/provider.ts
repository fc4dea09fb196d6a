import type { IncomingHttpHeaders } from 'node:http';
import type { OperationOf, ProviderName } from './names.ts';

/** A request as the provider's platform reads it: JSON or form, both already parsed. */
export interface ProviderRequest {
  readonly method: string;
  /** With the query string. */
  readonly url: string;
  /** Scheme and authority that the caller used. */
  readonly baseUrl: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface ProviderAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string is sent as it is, with the content type given in `headers`. */
  readonly body: unknown;
}

export interface ProviderRoute<P extends ProviderName> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly operation: OperationOf<P> | ((request: ProviderRequest) => Promise<OperationOf<P>>);
  /** The key that repetitions of this request share, shown in the request log; null for none. */
  readonly idempotencyKey?: (request: ProviderRequest) => string | null;
  /** An expected "no" is an answer in the provider's own error shape; an exception is a bug of the stand-in. */
  readonly handle: (request: ProviderRequest) => Promise<ProviderAnswer>;
}

/** One part of the outside world, speaking its own wire format. */
export interface Provider<P extends ProviderName = ProviderName> {
  readonly name: P;
  readonly routes: readonly ProviderRoute<P>[];
  /** The provider's answer to wrong credentials, or null when they are right. */
  readonly refuse: (request: ProviderRequest) => Promise<ProviderAnswer | null>;
  /** How this provider answers a refusal, and a failure on its own side. */
  readonly rejection: (operation: OperationOf<P>) => ProviderAnswer;
  readonly breakdown: () => ProviderAnswer;
}
