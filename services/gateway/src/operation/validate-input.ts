import {
  collectFaults,
  fieldErrors,
  type OperationDefinition,
  type Rejection,
  reject,
} from '@parley/contracts';
import { BodyFault } from '../edge/request/read-body.ts';
import { repeated } from './json-faults.ts';

/** What came with a request, as far as the framework read it. */
export interface RawInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export type ValidInput =
  | { readonly isValid: true; readonly value: object }
  | { readonly isValid: false; readonly rejection: Rejection };

type Part = NonNullable<OperationDefinition['body']>;

const nothing = {};
const notAnObject = reject('invalid', { fields: { body: ['The body must be a JSON object.'] } });

/**
 * Checks path, query and body by the operation's contract and joins them into one object, the service's input. A
 * path parameter of the wrong form is `not_found`; a missing body counts as an empty one, so that the missing
 * fields are named.
 */
export function validateInput(operation: OperationDefinition, raw: RawInput): ValidInput {
  if (raw.body instanceof BodyFault) return refused(raw.body.rejection);
  if (operation.csv && raw.body === undefined) return refused(reject('unsupported_media_type'));
  const params = check(operation.params, raw.params, () => reject('not_found'));
  if (!params.isValid) return params;
  const query = repetition(operation.query, raw.query) ?? check(operation.query, raw.query, invalid);
  if (!query.isValid) return query;
  const body = checkBody(operation.body, raw.body);
  if (!body.isValid) return body;
  return { isValid: true, value: { ...params.value, ...query.value, ...body.value } };
}

function checkBody(schema: Part | undefined, body: unknown): ValidInput {
  if (!schema) return valid(nothing);
  if (body === undefined) return check(schema, nothing, invalid);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return refused(notAnObject);
  return check(schema, body, invalid);
}

/** The framework reads what a query string has twice as a list; no operation wants one. */
function repetition(schema: Part | undefined, query: unknown): ValidInput | undefined {
  const faults = Object.entries(query ?? {})
    .filter(([field, value]) => Array.isArray(value) && schema && field in schema.shape)
    .map(([field]) => repeated(field));
  return faults.length === 0 ? undefined : refused(reject('invalid', { fields: collectFaults(faults) }));
}

function check(
  schema: Part | undefined,
  input: unknown,
  rejectionOf: (error: Parameters<typeof fieldErrors>[0], input: unknown) => Rejection,
): ValidInput {
  if (!schema) return valid(nothing);
  const parsed = schema.safeParse(input);
  return parsed.success ? valid(parsed.data) : refused(rejectionOf(parsed.error, input));
}

const invalid = (error: Parameters<typeof fieldErrors>[0], input: unknown): Rejection =>
  reject('invalid', { fields: fieldErrors(error, input) });
const valid = (value: object): ValidInput => ({ isValid: true, value });
const refused = (rejection: Rejection): ValidInput => ({ isValid: false, rejection });
