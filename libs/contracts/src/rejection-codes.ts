import type { OperationDefinition } from './operation.ts';
import type { RejectionCode } from './rejection.ts';

/** Every "no" that an operation has: those of any request of its kind, then its own. */
export function rejectionCodesOf(operation: OperationDefinition): readonly RejectionCode[] {
  const { kind, method, body, query, notFoundMessage, rateLimits, rejections = [] } = operation;
  const isCommand = kind === 'command';
  const hasInput = body !== undefined || query !== undefined;
  const codes: (RejectionCode | false)[] = [
    'malformed',
    'unauthorized',
    notFoundMessage !== undefined && 'not_found',
    isCommand && 'idempotency_in_progress',
    isCommand && 'idempotency_key_expired',
    isCommand && method !== 'POST' && 'version_mismatch',
    method !== 'GET' && 'payload_too_large',
    method !== 'GET' && 'unsupported_media_type',
    (hasInput || isCommand) && 'invalid',
    isCommand && 'idempotency_key_reuse',
    rateLimits !== undefined && 'too_many_attempts',
    'internal',
    'unavailable',
    'timeout',
    isCommand && 'contended',
    ...rejections,
  ];
  return codes.filter((code) => code !== false);
}
