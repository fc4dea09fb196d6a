import {
  type ErrorShape,
  type OperationDefinition,
  type Rejection,
  type RejectionCode,
  reject,
  rejections,
} from '@parley/contracts';
import { type BusRejection, RequestTimedOut, RequestTooLarge, ServiceUnavailable } from '@parley/message-bus';

/** Where an error's looks depend on the operation; `null` stands for everything outside the operations. */
export type ErrorContext = Pick<
  OperationDefinition,
  'errorShape' | 'notFoundMessage' | 'notFoundErrorCode' | 'invalidErrorCode' | 'csv'
> | null;

export interface ErrorAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const noHeaders = {};

/** The only place that knows statuses and error bodies (decisions, sections 1 and 8; service-api, section 7). */
export function errorAnswer(rejection: Rejection, context: ErrorContext): ErrorAnswer {
  return {
    status: rejections[rejection.code].status,
    body: JSON.stringify(errorBody(rejection, context)),
    headers: errorHeaders(rejection, context),
  };
}

function errorBody(rejection: Rejection, context: ErrorContext): object {
  const message = messageOf(rejection, context);
  const { code, fields, details } = rejection;
  if (code === 'unauthorized') return { error: rejections.unauthorized.message };
  const shape = context?.errorShape ?? 'message';
  if (code === 'too_many_attempts') {
    const body = { message, retry_after: rejection.retryAfterSeconds ?? 1 };
    return shape === 'chatapp' ? { success: false, ...body } : body;
  }
  const extra = { ...(details && { details }) };
  switch (shape) {
    case 'chatapp':
      return {
        success: false,
        error: message,
        error_code: errorCodeOf(code, context),
        ...(code === 'invalid' && { errors: fields ?? {} }),
        ...extra,
      };
    case 'coded':
      return { message, error: codedError(code, context), ...(fields && { errors: fields }), ...extra };
    case 'message':
    case 'error':
    case 'conversation':
      if (code === 'invalid') return { message, errors: fields ?? {} };
      if (isAboutIdempotency(code)) return { message, error: code };
      return { ...plainBody(shape, message), ...(fields && { errors: fields }), ...extra };
    default:
      return shape satisfies never;
  }
}

function plainBody(shape: Exclude<ErrorShape, 'chatapp' | 'coded'>, message: string): object {
  switch (shape) {
    case 'message':
      return { message };
    case 'error':
      return { error: message };
    case 'conversation':
      return { status: false, error: message };
    default:
      return shape satisfies never;
  }
}

export function isAboutIdempotency(code: RejectionCode): boolean {
  return (
    code === 'idempotency_key_reuse' ||
    code === 'idempotency_key_expired' ||
    code === 'idempotency_in_progress'
  );
}

const codedError = (code: RejectionCode, context: ErrorContext): string =>
  code === 'invalid' ? (context?.invalidErrorCode ?? code) : code;

/** What clients tell the errors of a status apart by; undefined where the body has nothing of the kind. */
export function shownCodeOf(code: RejectionCode, context: ErrorContext): string | undefined {
  if (code === 'unauthorized' || code === 'too_many_attempts') return undefined;
  switch (context?.errorShape) {
    case 'chatapp':
      return errorCodeOf(code, context);
    case 'coded':
      return codedError(code, context);
    default:
      return isAboutIdempotency(code) ? code : undefined;
  }
}

/**
 * `error_code` of the chat-app operations (service-api, section 7) where it is not the code of the rejection in
 * capitals.
 */
const chatAppErrorCodes: Readonly<Partial<Record<RejectionCode, string>>> = {
  malformed: 'VALIDATION_FAILED',
  unsupported_media_type: 'VALIDATION_FAILED',
  payload_too_large: 'VALIDATION_FAILED',
  invalid: 'VALIDATION_FAILED',
  voice_template_not_found: 'TEMPLATE_NOT_FOUND',
};

function errorCodeOf(code: RejectionCode, context: ErrorContext): string {
  if (code === 'not_found' && context?.notFoundErrorCode !== undefined) return context.notFoundErrorCode;
  return chatAppErrorCodes[code] ?? code.toUpperCase();
}

/**
 * The message of a fault of ours is never shown; the words of a service are passed on only for a rejection of the
 * request.
 */
export function messageOf({ code, message }: Rejection, context: ErrorContext): string {
  const { status, message: standard } = rejections[code];
  if (status >= 500) return standard;
  return message ?? ownMessageOf(code, context) ?? standard;
}

function ownMessageOf(code: RejectionCode, context: ErrorContext): string | undefined {
  if (code === 'not_found') return context?.notFoundMessage;
  return code === 'unsupported_media_type' && context?.csv
    ? 'The content type must be text/csv, in UTF-8.'
    : undefined;
}

function errorHeaders(
  { code, retryAfterSeconds = 1, acceptEncoding }: Rejection,
  context: ErrorContext,
): Readonly<Record<string, string>> {
  if (code === 'unauthorized') return { 'www-authenticate': 'Bearer' };
  // One of the two only: that is how a client tells which was at fault (RFC 9110, 12.5.3 and 15.5.16).
  if (acceptEncoding !== undefined) return { 'accept-encoding': acceptEncoding };
  if (code === 'unsupported_media_type') return { accept: context?.csv ? 'text/csv' : 'application/json' };
  return tellsWhenToRetry(code)
    ? { 'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))) }
    : noHeaders;
}

export function tellsWhenToRetry(code: RejectionCode): boolean {
  const { status } = rejections[code];
  return status === 429 || status === 503 || code === 'idempotency_in_progress';
}

/** A rejection by a service; one with a code that the contracts do not list becomes `internal`. */
export function knownRejection(rejection: BusRejection): Rejection {
  const { code, ...rest } = rejection;
  return isKnown(code) ? { code, ...rest } : reject('internal');
}

const isKnown = (code: string): code is RejectionCode => Object.hasOwn(rejections, code);

/** The rejection for an exception from the bus, from Fastify, from a plugin, or from a bug. */
export function thrownRejection(error: unknown): Rejection {
  if (error instanceof ServiceUnavailable) return reject('unavailable');
  if (error instanceof RequestTimedOut) return reject('timeout');
  // A body within its limit may be longer when it is serialised again for the bus.
  if (error instanceof RequestTooLarge) return reject('payload_too_large');
  switch (codeOf(error)) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return reject('payload_too_large');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return reject('unsupported_media_type');
    case 'FST_ERR_HANDLER_TIMEOUT':
      return reject('timeout');
    case 'HPE_HEADER_OVERFLOW':
      return reject('headers_too_large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return reject('request_timeout');
    default:
      return reject(isCallersFault(error) ? 'malformed' : 'internal');
  }
}

/** Fastify marks what the caller did wrong with a 4xx; a connection that broke off was not ours to keep. */
function isCallersFault(error: unknown): boolean {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  return (
    (status >= 400 && status < 500) || codeOf(error).startsWith('HPE_') || codeOf(error) === 'ECONNRESET'
  );
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';
