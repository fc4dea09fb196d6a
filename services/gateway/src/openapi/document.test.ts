import { operations, tags, webhookBodies } from '@parley/contracts';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createOpenApiDocument } from './document.ts';
import { type JsonSchema, namedSchemasIn, toJsonSchema } from './json-schema.ts';

const document = createOpenApiDocument(operations);

/** Those of a schema and of all objects inside it, by their names. */
function propertiesIn(schema: JsonSchema | undefined): [name: string, JsonSchema][] {
  const properties = Object.entries(schema?.properties ?? {}) as [string, JsonSchema][];
  const inner: JsonSchema[] = [schema?.anyOf, Object(schema).items]
    .flat()
    .filter((each) => each !== undefined);
  return [...properties, ...[...properties.map(([, each]) => each), ...inner].flatMap(propertiesIn)];
}
const fieldsIn = (schema: JsonSchema | undefined) => propertiesIn(schema).map(([, field]) => field);

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document));
    expect(result).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  test('has only references that lead somewhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, path]) => path,
    );
    expect(references.length).toBeGreaterThan(50);
    for (const path of new Set(references)) {
      const target = path?.split('/').reduce<unknown>((node, key) => Object(node)[key], document);
      expect(target, path).toBeDefined();
    }
  });

  test.each(operations)('describes $name', ({ path, method, success, body, csv }) => {
    const described = Object(document.paths?.[path])[method.toLowerCase()];
    expect(Object.keys(described.responses)).toEqual(
      expect.arrayContaining([String(success.status), '400', '401', '500', '503']),
    );
    expect(described.requestBody !== undefined).toBe((body ?? csv) !== undefined);
    for (const parameter of path.matchAll(/\{(\w+)\}/g))
      expect(described.parameters).toContainEqual(
        expect.objectContaining({ name: parameter[1], in: 'path', required: true }),
      );
  });

  test.each(operations)('has an example of $name that fits, if anything is to be sent', (operation) => {
    const { path, method, params, query, body, csv, example } = operation;
    const sent = { ...params?.shape, ...query?.shape, ...body?.shape };
    if (example === undefined) expect(body ?? csv).toBeUndefined();
    expect(Object.keys(sent)).toEqual(expect.arrayContaining(Object.keys(example ?? {})));
    const described = Object(document.paths?.[path])[method.toLowerCase()];
    const inQuery = described.parameters.filter((each: { in?: string }) => each.in === 'query');
    const asked = inQuery.map(({ name, example: value }: Record<string, string>) => [name, value]);
    expect(query?.safeParse(Object.fromEntries(asked)).error).toBeUndefined();
    const content = described.requestBody?.content['application/json'];
    expect(body?.safeParse(content.example).error).toBeUndefined();
  });

  test.each(operations)(
    'says what $name does, and what each of its parameters and fields is',
    ({ path, method }) => {
      const {
        description: about,
        parameters,
        requestBody,
      } = Object(document.paths?.[path])[method.toLowerCase()];
      expect(about).toBeTruthy();
      const body = requestBody?.content['application/json']?.schema;
      const fields = [...parameters.filter((each: object) => !('$ref' in each)), ...fieldsIn(body)];
      expect(fields.filter(({ description }) => !description)).toEqual([]);
    },
  );

  test.each(Object.entries(webhookBodies))(
    'describes the webhook %s and how it is signed',
    (event, schema) => {
      const { post } = Object(document.webhooks?.[event]);
      const described = post.requestBody.content['application/json'].schema;
      expect(Object.keys(described.properties)).toEqual(Object.keys(schema.shape));
      expect(described.properties.event).toMatchObject({ const: event });
      const unsaid = propertiesIn(described).filter(([, field]) => !field.description && !field.const);
      expect(unsaid.map(([name]) => name)).toEqual([]);
      expect(post.parameters.map(({ name }: { name: string }) => name)).toEqual([
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
        'webhook-replay',
        'x-parley-chain-depth',
      ]);
    },
  );

  test('gives numbers in paths and queries as integers with their limits and defaults', () => {
    const { parameters } = Object(document.paths?.['/api/user/folders']).get;
    expect(parameters[1]).toEqual({
      name: 'per_page',
      in: 'query',
      description: 'How many a page holds at most.',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 100, default: 15 },
    });
  });

  test('describes any JSON value without a definition of its own', () => {
    const variables = z.object({ variables: z.record(z.string(), z.json()) });
    expect(toJsonSchema(variables, 'input')).toMatchObject({
      properties: { variables: { type: 'object', additionalProperties: {} } },
    });
  });

  test('describes what holds more of its own kind as a component, once', () => {
    const { responses } = Object(document.paths?.['/api/user/traces/{request_id}']).get;
    const trace = responses[200].content['application/json'].schema.properties.data;
    const reference = { $ref: '#/components/schemas/TracedEvent' };
    expect(trace.properties.events).toEqual({ type: 'array', items: reference });
    const described = Object(document.components?.schemas?.TracedEvent);
    expect(described.required).toContain('caused_by');
    expect(described.properties.children).toEqual({ type: 'array', items: reference });
  });

  test('names the resources, so that types which are generated from it have names', () => {
    expect(Object.keys(document.components?.schemas ?? {})).toEqual(
      expect.arrayContaining(['Assistant', 'Lead', 'Campaign', 'Call', 'Folder', 'Conversation', 'Run']),
    );
    const { schema } = Object(document.paths?.['/api/user/assistants/get']).get.responses[200].content[
      'application/json'
    ];
    expect(schema.properties.data).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/Assistant' },
    });
  });

  test('says of every group of operations what it is for, in the order of their first operations', () => {
    const described = document.tags?.map(({ name, description }) => [name, description]);
    const tagsUsed = new Set(operations.map(({ tag }) => tag));
    expect(described).toEqual([...tagsUsed].map((tag) => [tag, expect.stringMatching(/^[A-Z].+\.$/)]));
    expect(Object.keys(tags)).toEqual([...tagsUsed]);
  });

  test('describes a feed beside the page, and where it goes on', () => {
    const { parameters, responses } = Object(document.paths?.['/api/user/events']).get;
    expect(Object.keys(responses[200].content)).toEqual(['application/json', 'text/event-stream']);
    expect(parameters).toContainEqual({ $ref: '#/components/parameters/LastEventId' });
  });

  test('names the version in the answers that have one', () => {
    const headersOf = (path: string) => Object(document.paths?.[path]).get.responses[200].headers;
    expect(headersOf('/api/user/assistant/{id}')).toHaveProperty('ETag');
    expect(headersOf('/api/user/assistants/get')).not.toHaveProperty('ETag');
  });

  test('says what a field means where its name does not', () => {
    const { post } = Object(document.webhooks?.post_call);
    const { properties } = post.requestBody.content['application/json'].schema;
    expect(properties.duration).toEqual({ type: 'integer', description: 'Seconds.' });
    const creation = Object(document.paths?.['/api/user/automate/flows']).post.requestBody;
    const { sample } = creation.content['application/json'].schema.properties;
    expect(sample).toEqual({ description: expect.stringContaining('try the automation') });
  });

  test.each(operations)('says what fields in answers of $name mean that no request has', ({ success }) => {
    const { schema } = success;
    const schemas = [toJsonSchema(schema, 'output'), ...Object.values(namedSchemasIn(schema, 'output'))];
    const names =
      /^(rule|next_cursor|service|stream_id|actor|caused_by|classification|window|applies_to|note|attempt|changed_at|(version|engine|instance|transcriber|synthesizer|flows)_.*|.*_sequence)$/;
    const fields = schemas.flatMap(propertiesIn).filter(([name]) => names.test(name));
    expect(fields.filter(([, field]) => !field.description).map(([name]) => name)).toEqual([]);
  });

  test.each(operations)('says of the times in answers of $name what form they have', ({ success }) => {
    const { schema } = success;
    const schemas = [toJsonSchema(schema, 'output'), ...Object.values(namedSchemasIn(schema, 'output'))];
    const fields = schemas.flatMap(propertiesIn);
    const times = fields.filter(([name]) => /(_at|_until|_time)$/.test(name)).map(([, field]) => field);
    for (const time of times) expect(JSON.stringify(time)).toMatch(/"(format|pattern)":/);
  });

  test.each([
    '/api/user/chatapp/send/explain',
    '/api/user/chatapp/voice/permission/explain',
    '/api/user/automate/flows/{id}/runs/{run_id}/retry/explain',
  ])('says what the rules of %s tell', (path) => {
    const { schema } = Object(document.paths?.[path]).get.responses[200].content['application/json'];
    const [, rules] = propertiesIn(schema).find(([name]) => name === 'rules') ?? [];
    const told = propertiesIn(rules).filter(([name]) => /^(event|flips_at|error|error_code)$/.test(name));
    expect(told.map(([, { description }]) => description)).toEqual(Array(3).fill(expect.any(String)));
  });

  test('lets numbers that answers carry as text be sent back as they are', () => {
    const { put } = Object(document.paths?.['/api/user/assistant/{id}']);
    const { llm_temperature: sent } = put.requestBody.content['application/json'].schema.properties;
    expect(sent.anyOf).toContainEqual({
      type: ['number', 'string'],
      minimum: 0,
      maximum: 1,
      pattern: '^\\d{1,4}(\\.\\d{1,6})?$',
    });
  });

  test('calls an id in a path what answers call it', () => {
    const idIn = (path: string) => Object(document.paths?.[path]).get.parameters[0].schema;
    expect(idIn('/api/user/automate/flows/{id}')).toEqual({ type: 'string', pattern: '^[1-9]\\d{0,15}$' });
    expect(idIn('/api/user/assistant/{id}')).toMatchObject({ type: 'integer' });
  });

  test('has an operation id of its own for every operation', () => {
    const ids = Object.values(document.paths ?? {}).flatMap((path) =>
      Object.values(Object(path)).map((operation) => Object(operation).operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(operations.length + 1);
  });
});
