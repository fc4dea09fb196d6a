import {
  type OperationDefinition,
  type RejectionCode,
  reject,
  rejectionCodesOf,
  rejections,
} from '@parley/contracts';
import type { OpenAPIV3_1 } from 'openapi-types';
import { type ErrorSchemaName, schemasOfShape } from '../errors/error-schemas.ts';
import { isAboutIdempotency, messageOf, shownCodeOf, tellsWhenToRetry } from '../errors/error-shapes.ts';
import { type JsonSchema, toJsonSchema } from './json-schema.ts';

type Response = OpenAPIV3_1.ResponseObject;
type Headers = NonNullable<Response['headers']>;

/** The headers of answers, by the key under which `#/components/headers` holds them. */
export const sharedHeaders: Readonly<Record<string, OpenAPIV3_1.HeaderObject>> = {
  'X-Request-Id': { description: 'The id of this request.', schema: { type: 'string' } },
  'X-Event-Position': {
    description: 'Where the change stands in the log; opaque.',
    schema: { type: 'string' },
  },
  ETag: { description: 'The version of the resource, for `If-Match`.', schema: { type: 'string' } },
  'Idempotent-Replayed': {
    description: '`true` when this is the answer of an earlier request with the same key.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': { description: 'Seconds to wait before the next try.', schema: { type: 'integer' } },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string', enum: ['Bearer'] } },
  Accept: { description: 'The content type that the body must have.', schema: { type: 'string' } },
  'Accept-Encoding': {
    description: 'The content encodings that the body may have, when that was wrong.',
    schema: { type: 'string' },
  },
  'X-RateLimit-Limit': {
    description: 'Requests that the tightest limit admits per window.',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Remaining': { description: 'What is left of it.', schema: { type: 'integer' } },
  'X-RateLimit-Reset': {
    description: 'Unix second at which it has one more to give.',
    schema: { type: 'integer' },
  },
};

const feed = {
  type: 'string',
  description:
    'Without an end: for each item `id` (its `position`), `event` (its `type`) and `data` (the item as JSON, on one line), and a comment at least every ten seconds.',
} as const;

const requestId = ['X-Request-Id'];
const limitHeaders = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** Every answer that an operation gives, with the errors of the gateway itself. */
export function responsesOf(operation: OperationDefinition): Record<string, Response> {
  const { kind, isVersioned, isFeed, rateLimits } = operation;
  const always = [...requestId, ...(rateLimits ? limitHeaders : [])];
  const responses: Record<string, Response> = {
    [operation.success.status]: {
      description: 'Success',
      headers: headersOf([
        ...always,
        ...(kind === 'command' ? ['X-Event-Position', 'ETag', 'Idempotent-Replayed'] : []),
        ...(isVersioned ? ['ETag'] : []),
      ]),
      content: {
        'application/json': { schema: toJsonSchema(operation.success.schema, 'output') },
        ...(isFeed && { 'text/event-stream': { schema: feed } }),
      },
    },
  };
  for (const { status, description, schemas, headers } of errorsOf(operation)) {
    const [only] = schemas;
    responses[status] = {
      description,
      // Whoever has no valid key has no limits.
      headers: headersOf([...(status === rejections.unauthorized.status ? requestId : always), ...headers]),
      content: {
        'application/json': { schema: only && schemas.length === 1 ? only : { anyOf: [...schemas] } },
      },
    };
  }
  return responses;
}

type ErrorSchema = JsonSchema | OpenAPIV3_1.ReferenceObject;

interface DocumentedError {
  readonly status: number;
  readonly description: string;
  readonly schemas: readonly ErrorSchema[];
  readonly headers: readonly string[];
}

/** One for each status, whatever number of reasons it has. */
function errorsOf(operation: OperationDefinition): DocumentedError[] {
  const byStatus = Map.groupBy(rejectionCodesOf(operation), (code) => rejections[code].status);
  return [...byStatus].map(([status, codes]) => ({
    status,
    description: [...new Set(codes.map((code) => reasonOf(code, operation)))].join('\n'),
    schemas: [...Map.groupBy(codes, (code) => schemaOf(code, operation))].map(([name, its]) =>
      withCodes(name, its, operation),
    ),
    headers: [
      ...(codes.some(tellsWhenToRetry) ? ['Retry-After'] : []),
      ...(codes.includes('unauthorized') ? ['WWW-Authenticate'] : []),
      ...(codes.includes('unsupported_media_type') ? ['Accept', 'Accept-Encoding'] : []),
    ],
  }));
}

function reasonOf(code: RejectionCode, operation: OperationDefinition): string {
  const shown = shownCodeOf(code, operation);
  const message = messageOf(reject(code), operation);
  return shown === undefined ? message : `\`${shown}\`: ${message}`;
}

/** The fields in which bodies that many operations share have a code. */
const codeFields: Readonly<Partial<Record<ErrorSchemaName, string>>> = {
  ChatAppError: 'error_code',
  CodedError: 'error',
};

/** A shared body, with the codes that it has in this answer of this operation. */
function withCodes(
  name: ErrorSchemaName,
  codes: readonly RejectionCode[],
  operation: OperationDefinition,
): ErrorSchema {
  const shared = { $ref: `#/components/schemas/${name}` };
  const field = codeFields[name];
  if (field === undefined) return shared;
  const shown = new Set(codes.map((code) => shownCodeOf(code, operation)));
  return {
    allOf: [shared, { type: 'object', properties: { [field]: { type: 'string', enum: [...shown] } } }],
  };
}

function schemaOf(code: RejectionCode, { errorShape }: OperationDefinition): ErrorSchemaName {
  const { own, invalid, idempotency, rateLimit } = schemasOfShape[errorShape];
  if (code === 'unauthorized') return 'Unauthorized';
  if (code === 'invalid' || code === 'invalid_definition') return invalid;
  if (code === 'too_many_attempts') return rateLimit;
  return isAboutIdempotency(code) ? idempotency : own;
}

const headersOf = (names: readonly string[]): Headers =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
