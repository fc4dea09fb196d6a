import type { RequestListener } from 'node:http';
import { json } from 'node:stream/consumers';
import { Secret } from '@parley/process-kit';
import { startLocalServer } from '@parley/testing';
import { expect, test } from 'vitest';
import { createLanguageModel } from './language-model.ts';

/** A model behind an endpoint; `base` is the endpoint's path as an operator gives it. */
async function modelAt(answer: RequestListener, base = '/v1') {
  return createLanguageModel({
    baseUrl: `${await startLocalServer(answer)}${base}`,
    apiKey: new Secret('key'),
    model: 'any',
    timeoutMs: 60_000,
  });
}

const question = { turns: [], temperature: 0, about: 'one' };

/** What is made of an endpoint's answer. */
async function made(status: number, answer: string, base?: string) {
  const model = await modelAt(
    ({ url }, response) =>
      response
        .writeHead(url === '/v1/chat/completions' ? status : 404, { 'content-type': 'application/json' })
        .end(answer),
    base,
  );
  return model.complete(question);
}

const said = (content: string, base?: string) =>
  made(200, JSON.stringify({ choices: [{ message: { content } }] }), base);

test('what the model says is given as far as it can be stored', async () => {
  expect(await said(' Tomorrow. ')).toEqual({ kind: 'said', text: 'Tomorrow.' });
  expect(await said('\u0000 To\u0000morrow \ud83d')).toEqual({ kind: 'said', text: 'Tomorrow \ufffd' });
});

test('what a model thinks before it answers is not for the contact, where its endpoint leaves it in the answer', async () => {
  const thoughts = 'The customer is rude.\n\nI say <b>tomorrow</b>.\n';
  const answer = { kind: 'said', text: 'Tomorrow.' };
  expect(await said(`<think>\n${thoughts}</think>\n\nTomorrow.`)).toEqual(answer);
  // The prompt of some models ends with the beginning.
  expect(await said(`${thoughts}</think>Tomorrow.`)).toEqual(answer);
  expect(await said('<think>\n\n</think>\n\nTomorrow.')).toEqual(answer);
});

test('of an answer in parts, as models of Mistral that reason give it, the texts are for the contact', async () => {
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'The customer is rude.' }] };
  const saidIn = (...content: unknown[]) =>
    made(200, JSON.stringify({ choices: [{ message: { content } }] }));
  const text = (of: string) => ({ type: 'text', text: of });
  expect(
    await saidIn(thinking, text('Tomorrow'), { type: 'reference', reference_ids: [1] }, text('.')),
  ).toEqual({
    kind: 'said',
    text: 'Tomorrow.',
  });
  await expect(saidIn(thinking)).rejects.toThrow();
});

test.each(['<think>\nThe customer is', ' <think>Rude.</think> '])('%j is no answer yet', async (content) => {
  await expect(said(content)).rejects.toThrow();
});

test('an address that ends with a slash, as some providers write theirs, is the same endpoint', async () => {
  expect(await said('Tomorrow.', '/v1/')).toEqual({ kind: 'said', text: 'Tomorrow.' });
});

test.each(['', ' ', '\u0000 \u0000'])('%j is no answer', async (content) => {
  await expect(said(content)).rejects.toThrow();
});

test('a model that takes no temperature, as those that reason, is asked without one from then on', async () => {
  const asked: unknown[] = [];
  const model = await modelAt(async (request, response) => {
    const body = Object(await json(request));
    asked.push(body.temperature);
    const error = { type: 'invalid_request_error', param: 'temperature', code: 'unsupported_value' };
    const answer = { choices: [{ message: { content: 'Tomorrow.' } }] };
    response.writeHead('temperature' in body ? 400 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify('temperature' in body ? { error } : answer));
  });
  const told = [await model.complete(question), await model.complete({ ...question, about: 'two' })];
  expect(told).toEqual(Array(2).fill({ kind: 'said', text: 'Tomorrow.' }));
  expect(asked).toEqual([0, undefined, undefined]);
});

/** What is made of an endpoint that is asked too much so many times first, and how often it was asked. */
async function madeAfter(times: number, retryAfter: string) {
  let asked = 0;
  const model = await modelAt((_request, response) => {
    asked += 1;
    if (asked <= times) return response.writeHead(429, { 'retry-after': retryAfter }).end();
    return response.end(JSON.stringify({ choices: [{ message: { content: 'Tomorrow.' } }] }));
  });
  const told = await model.complete(question).catch(String);
  return { told, asked };
}

test('a model that is asked too much is waited for as long as it says, where that is short and helps', async () => {
  const said = { kind: 'said', text: 'Tomorrow.' };
  expect(await madeAfter(2, '0')).toEqual({ told: said, asked: 3 });
  expect(await madeAfter(9, '0')).toEqual({ told: expect.stringContaining('429'), asked: 4 });
  expect(await madeAfter(1, '60')).toEqual({ told: expect.stringContaining('429'), asked: 1 });
});

test('an endpoint that keeps its answers is asked each question under a key of its own, the same at each try', async () => {
  const keys: unknown[] = [];
  const model = await modelAt((request, response) => {
    keys.push(request.headers['idempotency-key']);
    response.end(JSON.stringify({ choices: [{ message: { content: 'Tomorrow.' } }] }));
  });
  const turns = [{ role: 'user', content: 'When?' }] as const;
  for (const asked of [question, question, { ...question, turns }, { ...question, about: 'two' }])
    await model.complete(asked);
  expect(keys[1]).toBe(keys[0]);
  expect(new Set(keys).size).toBe(3);
});

test('a no to the question itself is told with its code, and with nothing of what was asked', async () => {
  const error = { message: 'Hello is too long', type: 'invalid_request_error' };
  const reasons = [
    await made(400, JSON.stringify({ error: { ...error, code: 'context_length_exceeded' } })),
    await made(413, JSON.stringify({ error: { ...error, code: null } })),
    await made(422, '{"detail":[{"input":"Hello"}]}'),
    await made(400, 'Bad Request'),
  ];
  expect(reasons).toEqual([
    { kind: 'refused', reason: '400 context_length_exceeded' },
    { kind: 'refused', reason: '413 invalid_request_error' },
    { kind: 'refused', reason: '422' },
    { kind: 'refused', reason: '400' },
  ]);
});

test.each([
  ['content_filter', { finish_reason: 'content_filter', message: { content: null } }],
  ['content_filter', { finish_reason: 'content_filter', message: { content: '' } }],
  ['content_filter', { finish_reason: 'content_filter', message: {} }],
  ['refusal', { finish_reason: 'stop', message: { content: null, refusal: 'I cannot help with Hello.' } }],
])('what the model withholds is a no to the question as well: %s', async (reason, choice) => {
  const told = await made(200, JSON.stringify({ choices: [choice] }));
  expect(told).toEqual({ kind: 'refused', reason });
});

test('what a filter has left of an answer is given', async () => {
  const choice = { finish_reason: 'content_filter', message: { content: 'Tomorrow.', refusal: null } };
  const told = await made(200, JSON.stringify({ choices: [choice] }));
  expect(told).toEqual({ kind: 'said', text: 'Tomorrow.' });
});

test.each([401, 402, 403, 404, 408, 409, 425, 429, 500, 503])(
  '%d is about the moment or about what an operator has set, so it may be asked again',
  async (status) => {
    await expect(made(status, '{"error":{"code":"any"}}')).rejects.toThrow(String(status));
  },
);

test('an answer that cannot be read is told without a word of it, as it may be what the model says', async () => {
  for (const answer of ['PIN 4711 is right.', '{"choices":[{"message":{"content":PIN 4711'])
    await expect(made(200, answer)).rejects.toThrow('The language model answered with nothing.');
});
