import type { OperationDefinition } from '@parley/contracts';
import type { OpenAPIV3, OpenAPIV3_1 } from 'openapi-types';
import { toJsonSchema } from './json-schema.ts';

type Parameter = OpenAPIV3_1.ParameterObject | OpenAPIV3_1.ReferenceObject;

/** The parameters that many operations share. */
export const sharedParameters: Readonly<Record<string, OpenAPIV3_1.ParameterObject>> = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'Kept when it is well-formed; else a new one is made. It is on every answer and every event.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,128}$' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a repeat safe: the same key, operation and body get the first answer again for 24 hours, and the command is effective once for ever.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The `ETag` of the version to change, for example `"3"`, or a list of up to eight; 412 when it is another one by now.',
    schema: { type: 'string' },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'With `Accept: text/event-stream`: the last `id` that was seen; takes the place of `after`.',
    schema: { type: 'string', pattern: '^[0-9]{1,16}$' },
  },
};

const shared = (name: keyof typeof sharedParameters): Parameter => ({
  $ref: `#/components/parameters/${name}`,
});

/** Commands may carry a key; those on one resource may expect its version. */
export function parametersOf(operation: OperationDefinition): Parameter[] {
  const isCommand = operation.kind === 'command';
  return [
    ...partParameters(operation, 'path'),
    ...partParameters(operation, 'query'),
    shared('RequestId'),
    ...(isCommand ? [shared('IdempotencyKey')] : []),
    ...(isCommand && operation.method !== 'POST' ? [shared('IfMatch')] : []),
    ...(operation.isFeed ? [shared('LastEventId')] : []),
  ];
}

function partParameters(operation: OperationDefinition, location: 'path' | 'query'): Parameter[] {
  const part = location === 'path' ? operation.params : operation.query;
  if (!part) return [];
  const { properties = {}, required = [] } = toJsonSchema(part, 'input');
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    // The types give parameters the schemas of OpenAPI 3.0; the test validates them as 3.1.
    schema: schema as OpenAPIV3.SchemaObject,
    ...(operation.example && name in operation.example && { example: operation.example[name] }),
  }));
}
