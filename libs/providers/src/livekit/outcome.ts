import { ServerError } from 'livekit-server-sdk';
import { asking, ok, type ProviderFailure, type ProviderResult, wasNeverSent } from '../provider-result.ts';

const asked = asking(failureOf);

/** Runs a request of the SDK; what it throws becomes a value. */
export const outcomeOf = <T>(request: Promise<T>): Promise<ProviderResult<T>> =>
  asked(async () => ok(await request));

/** The same for a question, which changes nothing: its failure is never `unknown`. */
export async function answerOf<T>(question: Promise<T>): Promise<ProviderResult<T>> {
  const result = await outcomeOf(question);
  return result.kind === 'unknown' ? { kind: 'unavailable', message: result.message } : result;
}

/** What is gone already needs no more done. */
export async function goneOf(request: Promise<unknown>): Promise<ProviderResult<undefined>> {
  const result = await outcomeOf(request);
  if (result.kind === 'ok' || isCode(result, 'not_found')) return ok(undefined);
  return result;
}

export const isCode = (result: ProviderResult<unknown>, code: string): boolean =>
  result.kind === 'rejected' && result.code === code;

/** The platform says so in words alone: another trunk has the calls to that number, or another rule those. */
const conflict = 'conflict';

/**
 * Of those within the platform that could do it, as its SIP servers, none is there or has room: it was handed to nobody.
 * In words alone, too: what is `unavailable` otherwise may have been begun.
 */
const takenByNobody = /\bno (response from servers|servers available)\b/;

function failureOf(error: unknown): ProviderFailure {
  if (error instanceof ServerError) {
    const { status, code = null, message } = error;
    // 401 is about us, not about what was asked.
    if (status === 429 || status === 401 || code === 'resource_exhausted')
      return { kind: 'unavailable', message };
    if (code === 'unavailable' && takenByNobody.test(message)) return { kind: 'unavailable', message };
    return status >= 400 && status < 500 && status !== 408
      ? { kind: 'rejected', code: message.startsWith('Conflicting') ? conflict : code, message }
      : { kind: 'unknown', message };
  }
  const message = error instanceof Error ? error.message : 'no answer';
  const code = causeCode(error);
  return wasNeverSent(code) ? { kind: 'unavailable', message: code } : { kind: 'unknown', message };
}

/** `fetch` hides what happened in the cause of what it throws. */
function causeCode(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}
