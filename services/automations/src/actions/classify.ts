import type { BusRejection } from '@parley/message-bus';
import type { FailureClass } from '../run/step-class.ts';
import type { ActionOutcome } from './action.ts';
import type { Answer } from './ask-service.ts';

type Failure = Extract<ActionOutcome, { ok: false }>;

/** What the platform's services say, as a step's class (design: how each classification arises). */
const classes: Readonly<Record<string, FailureClass>> = {
  sender_not_found: 'missing_connection',
  sender_offline: 'missing_connection',
  voice_disabled: 'missing_connection',
  not_found: 'missing_record',
  template_not_found: 'missing_record',
  voice_template_not_found: 'missing_record',
};

/** They pass by themselves. */
const transient: ReadonlySet<string> = new Set([
  'unavailable',
  'timeout',
  'contended',
  'idempotency_in_progress',
  'internal',
  'too_many_attempts',
]);

/** Of these nobody knows what was done: another request may be at it, or the service failed on the way. */
const uncertain: ReadonlySet<string> = new Set(['timeout', 'idempotency_in_progress', 'internal']);

interface Wording {
  /** What `not_found` is about, for example `CAMPAIGN`. */
  readonly record?: string;
  /** Of a field that a validation refuses: the class and code where it points at a record. */
  readonly recordFields?: Readonly<Record<string, string>>;
}

/** Anything but success: total, so that each "no" has exactly one class. */
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

/** A service that was not there was asked nothing: however long that lasts, the step waits for its turn. */
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
  const isTransient = transient.has(rejection.code);
  return {
    ok: false,
    code,
    class: of,
    message: wordsOf(rejection),
    transient: isTransient,
    definite: code !== 'OUTCOME_UNKNOWN' && !uncertain.has(rejection.code),
    // Another service's limit; one that cannot do its work for now costs attempts.
    ...(rejection.code === 'too_many_attempts' && { retryAfterSeconds: Math.max(1, retryAfterSeconds ?? 1) }),
  };
}

function wordsOf({ code, message, fields }: BusRejection): string {
  const faults = Object.values(fields ?? {}).flat();
  const said = message === undefined ? faults : [message, ...faults];
  return said.length === 0 ? code : said.join(' ').slice(0, 1_000);
}

/** The account's limit is used up until then. */
export const rateLimited = (seconds: number): Failure => ({
  ok: false,
  code: 'RATE_LIMITED',
  class: 'wiring_error',
  message: `The account's rate limit allows the next request in ${seconds} s.`,
  transient: true,
  definite: true,
  retryAfterSeconds: seconds,
});
