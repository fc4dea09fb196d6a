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
      /** The provider's own code, for people. */
      readonly code: string | null;
      readonly message: string;
    }
  | { readonly kind: 'unavailable'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** An answer, or why there is none: no failure of a provider is an exception. */
export type ProviderResult<T> = { readonly kind: 'ok'; readonly value: T } | ProviderFailure;

export const ok = <T>(value: T): ProviderResult<T> => ({ kind: 'ok', value });

/** The answer made no sense, as from a proxy: what was asked may have been done. */
export const garbledBy = (provider: string): ProviderFailure => ({
  kind: 'unknown',
  message: `${provider}’s answer could not be read.`,
});

/** What some work with an SDK resolved with, or its exception as a value. */
export const asking =
  (failureOf: (error: unknown) => ProviderFailure) =>
  async <T>(work: () => Promise<ProviderResult<T>>): Promise<ProviderResult<T>> => {
    try {
      return await work();
    } catch (error) {
      return failureOf(error);
    }
  };

/**
 * Whether the code of Node, undici or `NotLoaded` says that a request never left: no connection could be made or taken, or
 * whoever took it could not show who they are.
 */
export const wasNeverSent = (code: string): boolean =>
  /^(UND_ERR_CONNECT_TIMEOUT|ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|EMFILE|ENFILE|NOT_LOADED|CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(
    code,
  );

/** Whether Node says that no connection was made, to any address of the provider's: nothing has left. */
export const neverConnected = (error: unknown): boolean =>
  error instanceof AggregateError
    ? error.errors.every(neverConnected)
    : error instanceof Error && 'syscall' in error && error.syscall === 'connect';
