import type { OperationDefinition } from '@parley/contracts';
import type { Answer } from './api.ts';
import { isFaultOf } from './error-bodies.ts';

/** Whether the contract allows this answer to a request with a valid key and any content. */
export function isSpecified(operation: OperationDefinition, { status, body }: Answer): boolean {
  if (status === operation.success.status) return operation.success.schema.safeParse(body).success;
  if ([400, 413, 415].includes(status)) return isFaultOf(operation, status, body);
  if (status !== 422) return [402, 404, 409, 412, 429].includes(status);
  // Chat-app operations say with a code of their own what is wrong with a well-formed value.
  const { success, error, error_code } = Object(body);
  // One of the specification's errors of a purchase.
  if (operation.errorShape === 'error' && /cannot be parsed/.test(error)) return true;
  return isFaultOf(operation, status, body) || (success === false && /^[A-Z_]+$/.test(error_code));
}

/** Whether the answer is the 503 of a request that lost against concurrent changes of one resource too often. */
export const isContended = ({ status, text, headers }: Answer): boolean =>
  status === 503 && text.includes('being changed by others') && headers['retry-after'] !== undefined;
