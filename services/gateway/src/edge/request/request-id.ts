import type { IncomingMessage } from 'node:http';
import { newId } from './new-id.ts';

const wellFormed = /^[A-Za-z0-9_-]{1,128}$/;

/** The caller's `X-Request-Id` when it is well-formed, else a new one. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && wellFormed.test(given) ? given : newId();
}
