import { ServerError } from 'livekit-server-sdk';
import {
  asking,
  ok,
  type ProviderFailure,
  type ProviderResult,
  unheard,
  wasNeverSent,
} from '../provider-result.ts';

const asked = asking(failureOf);

/** The result of a request of the SDK; its exception becomes a failure. */
export const outcomeOf = <T>(request: Promise<T>): Promise<ProviderResult<T>> =>
  asked(async () => ok(await request));

/** The same for a request that changes nothing: its failure is never `unknown`. */
export async function answerOf<T>(question: Promise<T>): Promise<ProviderResult<T>> {
  const result = await outcomeOf(question);
  return result.kind === 'unknown' ? { kind: 'unavailable', message: result.message } : result;
}

/** The result of a removal: `ok` as well when the thing is gone already. */
export async function goneOf(request: Promise<unknown>): Promise<ProviderResult<undefined>> {
  const result = await outcomeOf(request);
  if (result.kind === 'ok' || isCode(result, 'not_found')) return ok(undefined);
  return result;
}

export const isCode = (result: ProviderResult<unknown>, code: string): boolean =>
  result.kind === 'rejected' && result.code === code;

/**
 * Code for two errors that LiveKit tells apart only by their text: another trunk has that number, or another dispatch
 * rule has those calls.
 */
const conflict = 'conflict';

/**
 * LiveKit had no server of its own, such as a SIP server, that could take the request, so nobody did. Only the text
 * says so: any other `unavailable` may have been begun.
 */
const takenByNobody = /\bno (response from servers|servers available)\b/;

function failureOf(error: unknown): ProviderFailure {
  if (error instanceof ServerError) {
    const { status, code = null, message } = error;
    // 401 means that our key is wrong, which says nothing about the request.
    if (status === 429 || status === 401 || code === 'resource_exhausted')
      return { kind: 'unavailable', message };
    if (code === 'unavailable' && takenByNobody.test(message)) return { kind: 'unavailable', message };
    return status >= 400 && status < 500 && status !== 408
      ? { kind: 'rejected', code: message.startsWith('Conflicting') ? conflict : code, message }
      : { kind: 'unknown', message };
  }
  // `fetch` says no more than that it failed; why is what it has from Node.
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = reason instanceof Error && 'code' in reason ? String(reason.code) : '';
  const said = reason instanceof Error ? reason.message || code : String(reason);
  return { kind: wasNeverSent(code) ? 'unavailable' : 'unknown', message: unheard('LiveKit', said) };
}
