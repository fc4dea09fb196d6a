import type { Rejection } from '@parley/contracts';
import type { FastifyRequest } from 'fastify';
import { SpooledFile } from '../upload/spool.ts';
import { type CommandIdentity, freshIdentity, keyedIdentity, keyFault } from './idempotency.ts';

/** The identity of the command that a request asks for: by its `Idempotency-Key`, or a new one. */
export function identityOf(
  request: FastifyRequest,
  operation: string,
  accountId: number,
): CommandIdentity | Rejection {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return freshIdentity();
  // Node joins a repeated header to one text; only `set-cookie` comes as a list.
  const text = String(key);
  const { method, url, query, body } = request;
  const [path = ''] = url.split('?', 1);
  const content = body instanceof SpooledFile ? body.sha256 : body;
  return keyFault(text) ?? keyedIdentity(accountId, operation, text, { method, path, query, body: content });
}
