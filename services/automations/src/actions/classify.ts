import { rejections } from '@parley/contracts';
import type { BusRejection } from '@parley/message-bus';
import { lackingMs } from '../run/advance/limits.ts';
import type { FailureClass } from '../run/step-class.ts';
import type { ActionOutcome } from './action.ts';
import type { Answer } from './ask-service.ts';

type Failure = Extract<ActionOutcome, { ok: false }>;

/**
 * Classes of failures by the code of the rejection; all others are wiring errors (design: how each classification
 * arises).
 */
const classes: Readonly<Record<string, FailureClass>> = {
  sender_not_found: 'missing_connection',
  sender_offline: 'missing_connection',
  voice_disabled: 'missing_connection',
  not_found: 'missing_record',
  template_not_found: 'missing_record',
  voice_template_not_found: 'missing_record',
};

/** Codes of rejections that pass by themselves. */
const transient: ReadonlySet<string> = new Set([
  'unavailable',
  'timeout',
  'contended',
  'idempotency_in_progress',
  'internal',
  'too_many_attempts',
]);

/** Codes that leave open what was done: another request may be at it, or the service failed on the way. */
const uncertain: ReadonlySet<string> = new Set(['timeout', 'idempotency_in_progress', 'internal']);

interface Wording {
  /** What `not_found` is about, for example `CAMPAIGN`. */
  readonly record?: string;
  /**
   * Fields that name a record, each with the step's code when validation refuses it; the class is then
   * `missing_record`.
   */
  readonly recordFields?: Readonly<Record<string, string>>;
}

/**
 * The failure of a step whose command was rejected or not answered. Total: every answer but success has exactly one
 * class.
 */
export function failureOf(
  answer: Exclude<Answer, { kind: 'ok' }>,
  { record = 'RECORD', recordFields = {} }: Wording = {},
): Failure {
  if (answer.kind === 'silence') return silence(answer.code);
  const { rejection } = answer;
  const field = Object.keys(rejection.fields ?? {}).find((name) => Object.hasOwn(recordFields, rootOf(name)));
  if (rejection.code === 'invalid' && field !== undefined)
    return failure(rejection, recordFields[rootOf(field)] ?? 'RECORD_NOT_FOUND', 'missing_record');
  const code = codeOf(rejection, record);
  return failure(rejection, code, classes[rejection.code] ?? 'wiring_error');
}

/** A service that was not there was asked nothing: waiting for it costs no attempts, however long that lasts. */
const silence = (code: 'unavailable' | 'timeout'): Failure => ({
  ok: false,
  code: code === 'timeout' ? 'SERVICE_TIMEOUT' : 'SERVICE_UNAVAILABLE',
  class: 'wiring_error',
  message: 'A service of the platform gave no answer.',
  transient: true,
  definite: code === 'unavailable',
  ...(code === 'unavailable' && { retryAfterSeconds: 1 }),
});

const rootOf = (field: string): string => field.split('.')[0] ?? field;

function codeOf({ code, fields, details }: BusRejection, record: string): string {
  if (code === 'not_found') return `${record}_NOT_FOUND`;
  if (code === 'invalid' && details?.reason === 'number_taken') return 'NUMBER_TAKEN';
  if (code === 'invalid') return fields?.phone_number ? 'INVALID_PHONE' : 'INVALID_INPUT';
  if (code === 'voice_template_not_found') return 'TEMPLATE_NOT_FOUND';
  if (code === 'send_failed' && details?.outcome === 'unknown') return 'OUTCOME_UNKNOWN';
  return code.toUpperCase();
}

function failure(rejection: BusRejection, code: string, of: FailureClass): Failure {
  const { retryAfterSeconds } = rejection;
  // Money that is there, but set aside, as for calls at their longest. How soon it is free again is for others to say.
  const isSetAside = rejection.code === 'insufficient_balance' && retryAfterSeconds !== undefined;
  return {
    ok: false,
    code,
    class: of,
    message: wordsOf(rejection),
    transient: transient.has(rejection.code) || isSetAside,
    definite: code !== 'OUTCOME_UNKNOWN' && !uncertain.has(rejection.code) && !rejection.isOutage,
    ...(isSetAside && { retryAfterSeconds, costsAttempt: true }),
    // These are waited for at no cost; every other rejection that passes costs attempts.
    ...((rejection.code === 'too_many_attempts' || rejection.isOutage) && {
      retryAfterSeconds: Math.max(1, retryAfterSeconds ?? 1),
    }),
    // It may be the service itself that fails, whatever it takes that for: a day, and the run says so.
    ...(rejection.isOutage && { patienceMs: lackingMs }),
  };
}

/** What is said of a code where its rejection says nothing itself, as in an answer over HTTP. */
const standard: Readonly<Record<string, { readonly message: string } | undefined>> = rejections;

function wordsOf({ code, message, fields }: BusRejection): string {
  const faults = Object.values(fields ?? {}).flat();
  const said = message === undefined ? faults : [message, ...faults];
  return said.length === 0 ? (standard[code]?.message ?? code) : said.join(' ').slice(0, 1_000);
}

/** The failure of a step that has to wait for the account's rate limit. */
export const rateLimited = (seconds: number): Failure => ({
  ok: false,
  code: 'RATE_LIMITED',
  class: 'wiring_error',
  message: `The account's rate limit allows the next request in ${seconds} s.`,
  transient: true,
  definite: true,
  retryAfterSeconds: seconds,
});
