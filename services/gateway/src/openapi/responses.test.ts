import { errorShapes, operations, reject, rejections, revertChange } from '@parley/contracts';
import { describe, expect, test } from 'vitest';
import { type ErrorSchemaName, errorSchemas, schemasOfShape } from '../errors/error-schemas.ts';
import { errorAnswer } from '../errors/error-shapes.ts';
import { createOpenApiDocument } from './document.ts';
import { responsesOf } from './responses.ts';

const document = createOpenApiDocument(operations);

describe('what an operation may answer', () => {
  test.each([
    ['/api/user/chatapp/send', 'post', [200, 400, 401, 402, 404, 409, 413, 415, 422, 429, 500, 503]],
    ['/api/user/chatapp/session-status', 'get', [200, 400, 401, 404, 422, 500, 503]],
    ['/api/user/phone-numbers/purchase', 'post', [201, 400, 401, 402, 409, 413, 415, 422, 500, 502, 503]],
    ['/api/user/folder/{id}', 'put', [200, 400, 401, 404, 409, 412, 413, 415, 422, 500, 503]],
    ['/api/user/calls', 'get', [200, 400, 401, 422, 500, 503]],
    ['/api/user/folders', 'get', [200, 400, 401, 422, 500, 503]],
    ['/api/user/folder', 'post', [201, 400, 401, 409, 413, 415, 422, 500, 503]],
    ['/api/user/payment-method', 'put', [200, 400, 401, 409, 412, 413, 415, 422, 500, 503]],
    ['/api/user/assistants/enable-webhook', 'post', [200, 400, 401, 404, 409, 413, 415, 422, 500, 503]],
  ])('names every status of %s (%s)', (path, method, statuses) => {
    const { responses } = Object(document.paths?.[path])[method];
    expect(Object.keys(responses).map(Number)).toEqual(statuses);
  });

  test('gives all reasons and all bodies of a status', () => {
    const { responses } = Object(document.paths?.['/api/user/chatapp/send']).post;
    const { 409: conflict, 422: refused, 429: tooMany } = responses;
    expect(refused.description.split('\n')).toEqual(
      expect.arrayContaining([
        '`VALIDATION_FAILED`: The given data was invalid.',
        '`SENDER_OFFLINE`: The sender is not online.',
      ]),
    );
    expect(refused.content['application/json'].schema.anyOf).toEqual([
      { $ref: '#/components/schemas/ChatAppValidationError' },
      { allOf: [{ $ref: '#/components/schemas/ChatAppError' }, expect.anything()] },
    ]);
    expect(conflict.description.split('\n')).toHaveLength(2);
    for (const { headers } of [conflict, tooMany]) expect(headers).toHaveProperty('Retry-After');
    expect(responses[415].headers).toMatchObject({ Accept: {}, 'Accept-Encoding': {} });
    expect(refused.headers).not.toHaveProperty('Retry-After');
  });

  test.each([
    ['/api/user/chatapp/send', 'post', 404, 'error_code', ['SENDER_NOT_FOUND', 'TEMPLATE_NOT_FOUND']],
    ['/api/user/chatapp/voice/request', 'post', 404, 'error_code', ['SENDER_NOT_FOUND']],
    ['/api/user/chatapp/voice/request', 'post', 400, 'error_code', ['VALIDATION_FAILED']],
    ['/api/user/chatapp/voice/request', 'post', 503, 'error_code', ['UNAVAILABLE', 'TIMEOUT', 'CONTENDED']],
    ['/api/user/chatapp/session-status', 'get', 503, 'error_code', ['UNAVAILABLE', 'TIMEOUT']],
    ['/api/user/automate/flows/{id}', 'delete', 404, 'error', ['not_found']],
  ])('names every code by which a client tells why %s (%s) was answered %s', (...named) => {
    const [path, method, status, field, codes] = named;
    const { content } = Object(document.paths?.[path])[method].responses[status];
    const [, { properties }] = content['application/json'].schema.allOf;
    expect(properties).toEqual({ [field]: { type: 'string', enum: codes } });
  });

  test('promises how limits stand to those only whose limits they are', () => {
    const { responses } = Object(document.paths?.['/api/user/chatapp/send']).post;
    for (const status of [200, 422, 429])
      expect(responses[status].headers).toHaveProperty('X-RateLimit-Limit');
    expect(Object.keys(responses[401].headers)).toEqual(['X-Request-Id', 'WWW-Authenticate']);
  });

  test('says that a webhook about an erased person is not sent again', () => {
    const { responses } = Object(document.paths?.['/api/user/webhook-deliveries/{id}/redeliver']).post;
    expect(responses[422].description.split('\n')).toContain(rejections.webhook_erased.message);
  });
});

describe('the documented error bodies', () => {
  const bodyOf = (...args: Parameters<typeof errorAnswer>) => JSON.parse(errorAnswer(...args).body);
  const expectSchema = (name: ErrorSchemaName, body: unknown) =>
    expect(errorSchemas[name].strict().parse(body)).toBeDefined();

  test.each(errorShapes)('are what the gateway answers in the shape %s', (errorShape) => {
    const context = { errorShape };
    const { own, invalid, idempotency, rateLimit } = schemasOfShape[errorShape];
    for (const code of ['malformed', 'not_found', 'version_mismatch', 'internal', 'unavailable'] as const)
      expectSchema(own, bodyOf(reject(code), context));
    expectSchema('Unauthorized', bodyOf(reject('unauthorized'), context));
    expectSchema(invalid, bodyOf(reject('invalid'), context));
    expectSchema(rateLimit, bodyOf(reject('too_many_attempts'), context));
    for (const code of errorSchemas.IdempotencyError.shape.error.options)
      expectSchema(idempotency, bodyOf(reject(code), context));
  });

  test.each(['message', 'coded'] as const)(
    'of a definition name its fields in the shape %s',
    (errorShape) => {
      const fields = { 'flow.steps': ['The flow.steps field is required.'] };
      const revert = { ...revertChange, errorShape, rejections: ['invalid_definition'] as const };
      const { content } = Object(responsesOf(revert)[422]);
      const documented = JSON.stringify(content);
      expect(documented).not.toContain('MessageError');
      expectSchema(
        schemasOfShape[errorShape].invalid,
        bodyOf(reject('invalid_definition', { fields }), { errorShape }),
      );
    },
  );
});
