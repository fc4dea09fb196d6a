import { type OperationDefinition, tags } from '@parley/contracts';
import type { OpenAPIV3_1 } from 'openapi-types';
import { errorSchemas } from '../errors/error-schemas.ts';
import { automationWebhook } from './automation-webhook.ts';
import { namedSchemasIn, toJsonSchema } from './json-schema.ts';
import { parametersOf, sharedParameters } from './parameters.ts';
import { responsesOf, sharedHeaders } from './responses.ts';
import { webhookObjects } from './webhooks.ts';

/** The OpenAPI 3.1 document of the operations: derived from their contracts, so it cannot say anything else. */
export function createOpenApiDocument(operations: readonly OperationDefinition[]): OpenAPIV3_1.Document {
  const paths: Record<string, Record<string, OpenAPIV3_1.OperationObject>> = {};
  for (const operation of operations) {
    const path = paths[operation.path] ?? {};
    path[operation.method.toLowerCase()] = operationObject(operation);
    paths[operation.path] = path;
  }
  paths['/hooks/automations/{token}'] = { post: automationWebhook };
  return {
    openapi: '3.1.1',
    info: {
      title: 'Parley',
      version: '1',
      summary: 'Voice and messaging assistants, whose every change is an event.',
      description:
        'Every request carries `Authorization: Bearer <API key>`. Ids of other accounts are answered like ids that do not exist. A whole number in a body that would lose digits when it is read (`12345678901234567890`) is refused: send it as text.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name, description: tags[name] })),
    paths,
    webhooks: webhookObjects(),
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key.' } },
      parameters: { ...sharedParameters },
      headers: { ...sharedHeaders },
      schemas: Object.fromEntries([
        ...Object.entries(errorSchemas).map(([name, schema]) => [name, toJsonSchema(schema, 'output')]),
        ...operations.flatMap(({ success }) => Object.entries(namedSchemasIn(success.schema, 'output'))),
      ]),
    },
  };
}

function operationObject(operation: OperationDefinition): OpenAPIV3_1.OperationObject {
  const { name, tag, summary, description, body, csv } = operation;
  return {
    operationId: name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    parameters: parametersOf(operation),
    ...(body && {
      requestBody: {
        required: !body.safeParse({}).success,
        content: {
          'application/json': { schema: toJsonSchema(body, 'input'), example: exampleBody(operation) },
        },
      },
    }),
    ...(csv && {
      requestBody: {
        required: true,
        content: { 'text/csv': { schema: { type: 'string' }, example: csv.example } },
      },
    }),
    responses: responsesOf(operation),
  };
}

/** The fields of the example that are neither in the path nor in the query: its body. */
function exampleBody({ example = {}, params, query }: OperationDefinition) {
  const elsewhere = { ...params?.shape, ...query?.shape };
  return Object.fromEntries(Object.entries(example).filter(([field]) => !(field in elsewhere)));
}
