import { type RejectionCode, reject, rejections } from '@parley/contracts';
import { RequestTimedOut, RequestTooLarge, ServiceUnavailable } from '@parley/message-bus';
import { describe, expect, test } from 'vitest';
import { errorAnswer, knownRejection, thrownRejection } from './error-shapes.ts';

const folder = { errorShape: 'message', notFoundMessage: 'Folder not found' } as const;
const trunk = { errorShape: 'error', notFoundMessage: 'SIP trunk not found.' } as const;
const templates = {
  errorShape: 'chatapp',
  notFoundMessage: 'Sender not found',
  notFoundErrorCode: 'SENDER_NOT_FOUND',
} as const;
const conversation = { errorShape: 'conversation', notFoundMessage: 'Conversation not found' } as const;
const answer = (...args: Parameters<typeof errorAnswer>) => {
  const { status, body, headers } = errorAnswer(...args);
  return { status, body: JSON.parse(body), headers };
};

describe('an error', () => {
  test('without a valid key is the same bytes everywhere', () => {
    for (const context of [null, folder, trunk, templates, conversation])
      expect(errorAnswer(reject('unauthorized'), context)).toMatchObject({
        status: 401,
        body: '{"error":"Unauthorized"}',
      });
  });

  test.each([
    ['of a folder', folder, { message: 'Folder not found' }],
    ['of a SIP trunk', trunk, { error: 'SIP trunk not found.' }],
    ['of a conversation', conversation, { status: false, error: 'Conversation not found' }],
    [
      'of a chat-app sender',
      templates,
      { success: false, error: 'Sender not found', error_code: 'SENDER_NOT_FOUND' },
    ],
    ['outside the operations', null, { message: 'Not found.' }],
  ])('for an unknown id %s has the shape of its operation', (_, context, body) => {
    expect(answer(reject('not_found'), context)).toEqual({ status: 404, body, headers: {} });
  });

  test.each([folder, trunk, conversation])('of validation names the fields', (context) => {
    expect(answer(reject('invalid', { fields: { name: ['Taken.'] } }), context)).toEqual({
      status: 422,
      body: { message: 'The given data was invalid.', errors: { name: ['Taken.'] } },
      headers: {},
    });
  });

  test.each([
    [folder, { message: rejections.invalid_definition.message }],
    [trunk, { error: rejections.invalid_definition.message }],
    [conversation, { status: false, error: rejections.invalid_definition.message }],
  ])('with another code names the fields as well, beside what its shape has', (context, body) => {
    const errors = { 'flow.steps.0.input.variables': ['The template has variables without a value: name.'] };
    expect(answer(reject('invalid_definition', { fields: errors }), context).body).toEqual({
      ...body,
      errors,
    });
  });

  test('of a chat-app request says what it is by its code', () => {
    const chat = (code: RejectionCode) => answer(reject(code), templates);
    for (const code of ['invalid', 'malformed', 'unsupported_media_type', 'payload_too_large'] as const)
      expect(chat(code)).toMatchObject({
        status: rejections[code].status,
        body: { success: false, error: rejections[code].message, error_code: 'VALIDATION_FAILED' },
      });
    expect(chat('sender_offline')).toMatchObject({ status: 422, body: { error_code: 'SENDER_OFFLINE' } });
    expect(chat('template_not_found')).toMatchObject({
      status: 404,
      body: { error_code: 'TEMPLATE_NOT_FOUND' },
    });
    expect(chat('voice_template_not_found')).toMatchObject({
      status: 422,
      body: { error_code: 'TEMPLATE_NOT_FOUND' },
    });
    expect(chat('idempotency_key_reuse')).toEqual({
      status: 422,
      body: {
        success: false,
        error: rejections.idempotency_key_reuse.message,
        error_code: 'IDEMPOTENCY_KEY_REUSE',
      },
      headers: {},
    });
    const fields = { sender_id: ['The sender id field is required.'] };
    expect(answer(reject('invalid', { fields }), templates).body).toEqual({
      success: false,
      error: 'The given data was invalid.',
      error_code: 'VALIDATION_FAILED',
      errors: fields,
    });
    const details = { reason: 'weekly_cap', retry_at: null };
    expect(answer(reject('request_limit', { details }), templates).body).toMatchObject({ details });
  });

  test('of a chat-app limit says so in its own shape', () => {
    expect(answer(reject('too_many_attempts', { retryAfterSeconds: 1 }), templates)).toEqual({
      status: 429,
      body: { success: false, message: 'Too Many Attempts.', retry_after: 1 },
      headers: { 'retry-after': '1' },
    });
  });

  test('of a limit says when to come back', () => {
    expect(answer(reject('too_many_attempts', { retryAfterSeconds: 7 }), trunk)).toEqual({
      status: 429,
      body: { message: 'Too Many Attempts.', retry_after: 7 },
      headers: { 'retry-after': '7' },
    });
  });

  test('of idempotency carries its code', () => {
    expect(answer(reject('idempotency_key_reuse'), folder)).toMatchObject({
      status: 422,
      body: { error: 'idempotency_key_reuse' },
    });
    expect(answer(reject('idempotency_in_progress'), trunk)).toMatchObject({
      status: 409,
      body: { error: 'idempotency_in_progress' },
      headers: { 'retry-after': '1' },
    });
  });

  test('on our side tells no internals', () => {
    const leak = reject('internal', { message: 'relation "es.events" does not exist' });
    expect(answer(leak, trunk).body).toEqual({ error: rejections.internal.message });
  });

  test('may say which service is missing', () => {
    const details = { missing_services: ['messaging'] };
    expect(answer(reject('unavailable', { details }), folder).body).toEqual({
      message: rejections.unavailable.message,
      details,
    });
  });

  test.each(['unavailable', 'timeout', 'contended'] as const)('%s asks to retry', (code) => {
    expect(answer(reject(code), folder)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  });
});

test('a service’s unknown code is a fault of ours', () => {
  expect(knownRejection({ code: 'toString', message: 'x' })).toEqual({ code: 'internal' });
  expect(knownRejection({ code: 'not_found' })).toEqual({ code: 'not_found' });
});

const withCode = (code: string, statusCode?: number) => Object.assign(new Error('x'), { code, statusCode });

test.each([
  [new ServiceUnavailable(), 'unavailable'],
  [new RequestTimedOut(), 'timeout'],
  [new RequestTooLarge(), 'payload_too_large'],
  [withCode('FST_ERR_CTP_BODY_TOO_LARGE', 413), 'payload_too_large'],
  [withCode('FST_ERR_CTP_INVALID_MEDIA_TYPE', 415), 'unsupported_media_type'],
  [withCode('FST_ERR_CTP_INVALID_CONTENT_LENGTH', 400), 'malformed'],
  [withCode('FST_ERR_BAD_URL', 400), 'malformed'],
  [withCode('FST_ERR_HANDLER_TIMEOUT', 503), 'timeout'],
  [withCode('HPE_HEADER_OVERFLOW'), 'headers_too_large'],
  [withCode('HPE_INVALID_METHOD'), 'malformed'],
  [withCode('ERR_HTTP_REQUEST_TIMEOUT'), 'request_timeout'],
  [new TypeError('x is not a function'), 'internal'],
  ['text', 'internal'],
])('%s becomes %s', (error, code) => {
  expect(thrownRejection(error).code).toBe(code);
});

test('an upload of another type says which type it must be', () => {
  const upload = { ...folder, csv: true } as unknown as typeof folder;
  expect(answer(reject('unsupported_media_type'), upload).body.message).toMatch(/text\/csv/);
  expect(answer(reject('unsupported_media_type'), folder).body.message).not.toMatch(/csv/);
});
