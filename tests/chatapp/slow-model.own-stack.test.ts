import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually, type RunningStack, startStack } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAssistant } from '../support/assistants.ts';
import { chatAccount } from '../support/chat.ts';
import { control, freshCustomerNumber } from '../support/chat-platform.ts';
import { conversationWith, repliesIn } from './sending.ts';

/** What the language model never answers; it answers everything else at once. */
const puzzle = 'What was before the beginning?';
let puzzled = 0;
const model = createServer(async (request, response) => {
  if ((await text(request)).includes(puzzle)) {
    puzzled += 1;
    return;
  }
  const choices = [{ message: { content: 'At nine.' } }];
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ choices }));
});

let stack: RunningStack;
beforeAll(async () => {
  await once(model.listen(0, '127.0.0.1'), 'listening');
  const { port } = model.address() as AddressInfo;
  stack = await startStack({
    env: { LLM_BASE_URL: `http://127.0.0.1:${port}`, LLM_TIMEOUT_MS: '9000' },
  });
});
afterAll(async () => {
  await stack?.stop();
  model.closeAllConnections();
  model.close();
});

test('while the language model is slow for the customers of one account, those of others are answered', async () => {
  const answering = { assistantId: createAssistant };
  const [busy, other] = await Promise.all([chatAccount(stack, answering), chatAccount(stack, answering)]);
  const writes = (to: string, from: string, text: string) =>
    control('chat/inbound', { to, from, text }, stack.sandboxUrl);
  await Promise.all(
    Array.from({ length: 300 }, () => writes(busy.senderPhone, freshCustomerNumber(), puzzle)),
  );
  await eventually(() => expect(puzzled).toBeGreaterThanOrEqual(16));
  const customer = freshCustomerNumber();
  await writes(other.senderPhone, customer, 'When do you open?');
  const uuid = await conversationWith(other, customer);
  // Behind the others it would wait for longer than this does, however quick the machine is.
  await eventually(async () => expect(await repliesIn(other, uuid)).toEqual(['At nine.']));
});
