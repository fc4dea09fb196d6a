import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sandboxDefaults, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';

let sandbox: TestSandbox;
let client: OpenAI;
const apiKey = sandboxDefaults.OPENAI_API_KEY.reveal();
const question = { model: 'any', messages: [{ role: 'user' as const, content: 'Are you open on Sunday?' }] };

beforeAll(async () => {
  sandbox = await startTestSandbox();
  client = new OpenAI({ apiKey, baseURL: `${sandbox.url}/v1`, maxRetries: 0 });
});
afterAll(() => sandbox.close());

test('the official SDK gets an answer that shows the question', async () => {
  const completion = await client.chat.completions.create(question);
  expect(completion.choices[0]?.message.content).toContain('Are you open on Sunday?');
  expect(completion.choices[0]?.finish_reason).toBe('stop');
  expect(completion.usage?.total_tokens).toBeGreaterThan(0);
});

test('the official SDK streams the same answer', async () => {
  const whole = await client.chat.completions.create(question);
  let text = '';
  for await (const chunk of await client.chat.completions.create({ ...question, stream: true }))
    text += chunk.choices[0]?.delta.content ?? '';
  expect(text).toBe(whole.choices[0]?.message.content);
});

test('a wrong key, a malformed request and faults are errors of the SDK', async () => {
  const stranger = new OpenAI({ apiKey: 'sk-wrong', baseURL: `${sandbox.url}/v1`, maxRetries: 0 });
  await expect(stranger.chat.completions.create(question)).rejects.toThrow(OpenAI.AuthenticationError);
  await expect(client.chat.completions.create({ model: 'any', messages: [] })).rejects.toThrow(
    OpenAI.BadRequestError,
  );
  await sandbox.control('faults', { provider: 'llm', operation: 'complete', mode: 'error', times: 1 });
  await expect(client.chat.completions.create(question)).rejects.toThrow(OpenAI.InternalServerError);
  await sandbox.control('faults', { provider: 'llm', mode: 'reset', times: 1 });
  await expect(client.chat.completions.create(question)).rejects.toThrow(OpenAI.APIConnectionError);
});
