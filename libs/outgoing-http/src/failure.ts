import { AddressRefused, HostNotFound } from './guarded-connector.ts';

export type FailureReason =
  | 'refused'
  | 'invalid_request'
  | 'no_place'
  | 'host_not_found'
  | 'connection_failed'
  | 'connection_closed'
  | 'tls'
  | 'not_http'
  | 'timeout'
  | 'aborted'
  | 'other';

/** In plain words, for the one who set the URL: nothing about our network, addresses or libraries. */
const messages: Readonly<Record<FailureReason, string>> = {
  refused: 'The URL is not allowed.',
  invalid_request: 'The request could not be made from what was given.',
  no_place: 'There was no place among the requests to that endpoint in time.',
  host_not_found: 'The host name could not be resolved.',
  connection_failed: 'No connection could be made.',
  connection_closed: 'The connection was closed before there was an answer.',
  tls: 'No secure connection could be made; the certificate may be invalid.',
  not_http: 'The answer was not valid HTTP.',
  timeout: 'There was no answer in time.',
  aborted: 'The request was given up.',
  other: 'The request failed.',
};

/** It has waited as long for its turn as it may: nothing was sent. */
export class NoPlace extends Error {}

export const messageOf = (reason: FailureReason): string => messages[reason];

export function reasonOf(error: unknown): FailureReason {
  if (error instanceof AddressRefused) return 'refused';
  if (error instanceof HostNotFound) return 'host_not_found';
  if (error instanceof NoPlace) return 'no_place';
  if (!(error instanceof Error)) return 'other';
  if (error.name === 'TimeoutError') return 'timeout';
  if (error.name === 'AbortError') return 'aborted';
  // It has a code for some faults only.
  if (error.name === 'HTTPParserError') return 'not_http';
  return byCode.find(([pattern]) => pattern.test(codeOf(error)))?.[1] ?? 'other';
}

const byCode: readonly (readonly [RegExp, FailureReason])[] = [
  [/^(UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/, 'timeout'],
  [/^UND_ERR_(INVALID_ARG|REQ_CONTENT_LENGTH_MISMATCH)$/, 'invalid_request'],
  [/^(ECONNREFUSED|E(HOST|NET)UNREACH|EADDRNOTAVAIL|ENETDOWN|EACCES|EINVAL)$/, 'connection_failed'],
  // What makes connections is not there.
  [/^NOT_LOADED$/, 'connection_failed'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/, 'connection_closed'],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'not_http'],
  [/^UND_ERR_(DESTROYED|CLOSED)$/, 'aborted'],
  [/^(ERR_TLS_.*|ERR_SSL_.*|EPROTO|.*CERT.*|UNABLE_TO_.*|SELF_SIGNED_.*)$/, 'tls'],
];

function codeOf(error: Error): string {
  // Several addresses were tried: each has an error of its own.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error && 'code' in first ? String(first.code) : '';
}
