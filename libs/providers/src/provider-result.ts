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
