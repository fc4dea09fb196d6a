import { dropUnstorable } from '@parley/contracts';

/**
 * Why a provider did not do what it was asked.
 * - `rejected`: it said no. Nothing happened, and asking again the same way gives the same answer.
 * - `unavailable`: nothing happened, because it could not be reached or does not take requests now. Try again later.
 * - `unknown`: the request may have taken effect: no answer, half an answer, or one that makes no sense. Never repeat it;
 *   look it up.
 * A question that changes nothing is never `unknown`.
 */
export type ProviderFailure =
  | {
      readonly kind: 'rejected';
      /** The provider's own code, or one that the port documents for this method. */
      readonly code: string | null;
      readonly message: string;
    }
  | { readonly kind: 'unavailable'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** An answer, or why there is none: no failure of a provider is an exception. */
export type ProviderResult<T> = { readonly kind: 'ok'; readonly value: T } | ProviderFailure;

export const ok = <T>(value: T): ProviderResult<T> => ({ kind: 'ok', value });

/** Failure for an answer that cannot be read, such as a proxy's page: the request may have taken effect. */
export const garbledBy = (provider: string): ProviderFailure => ({
  kind: 'unknown',
  message: `${provider}’s answer could not be read.`,
});

/** Of one that gave no usable answer: what Node says of it (`certificate has expired`) does not name it. */
export const unheard = (provider: string, reason: string): string =>
  `${provider} gave no usable answer: ${reason}`;

/** The failure in words that can be put on record, whatever the provider has said. */
export const storable = <Failure extends { readonly message: string }>(failure: Failure): Failure => ({
  ...failure,
  message: dropUnstorable(failure.message),
});

/** Runs work that uses an SDK; `failureOf` turns its exception into a failure. */
export const asking =
  (failureOf: (error: unknown) => ProviderFailure) =>
  async <T>(work: () => Promise<ProviderResult<T>>): Promise<ProviderResult<T>> => {
    try {
      return await work();
    } catch (error) {
      return storable(failureOf(error));
    }
  };

/**
 * Whether an error code of Node, undici or `NotLoaded` means that the request was never sent: there was no connection,
 * or the other side's certificate was not accepted.
 */
export const wasNeverSent = (code: string): boolean =>
  /^(UND_ERR_CONNECT_TIMEOUT|ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|EMFILE|ENFILE|NOT_LOADED|CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(
    code,
  );

/** Whether a Node error means that no address of the provider could be connected to, so that nothing was sent. */
export const neverConnected = (error: unknown): boolean =>
  error instanceof AggregateError
    ? error.errors.every(neverConnected)
    : error instanceof Error && 'syscall' in error && error.syscall === 'connect';
