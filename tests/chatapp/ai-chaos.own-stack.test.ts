import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually, type RunningStack } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAssistant } from '../support/assistants.ts';
import { chatAccount, messagesTable } from '../support/chat.ts';
import { advanceClock, control, freshCustomerNumber } from '../support/chat-platform.ts';
import { readRowsOf } from '../support/database.ts';
import { startOwnStack } from '../support/own-stack.ts';
import { isNightly, randomNumbers, seed } from '../support/tier.ts';

const happenings = isNightly ? 600 : 30;
const random = randomNumbers();
const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

/** How the language model answers; it is well again at the end. */
const moods = ['quick', 'quick', 'slow', 'down', 'busy', 'busy for long', 'refusing', 'silent', 'hanging'];
let isWell = false;
const statuses: Readonly<Record<string, number>> = {
  down: 500,
  busy: 429,
  'busy for long': 429,
  refusing: 400,
};
const model = createServer(async (request, response) => {
  await text(request);
  const mood = isWell ? 'quick' : oneOf(moods);
  if (mood === 'hanging') return;
  if (mood === 'slow') await pause(2_000);
  const content = mood === 'silent' ? '' : 'At nine.';
  const headers = { 'retry-after': mood === 'busy' ? '1' : '90' };
  response
    .writeHead(statuses[mood] ?? 200, headers)
    .end(JSON.stringify({ choices: [{ message: { content } }] }));
});

let stack: RunningStack;
beforeAll(async () => {
  await once(model.listen(0, '127.0.0.1'), 'listening');
  const { port } = model.address() as AddressInfo;
  const env = { LLM_BASE_URL: `http://127.0.0.1:${port}`, LLM_TIMEOUT_MS: '4000' };
  stack = await startOwnStack({ copies: { messaging: 2 }, env });
});
afterAll(async () => {
  await stack?.stop();
  model.closeAllConnections();
  model.close();
});

const advance = (seconds: number) => advanceClock(seconds, stack.sandboxUrl);
const read = <Row extends object>(sql: string) => readRowsOf<Row>(stack.databaseUrl, 'messaging', sql);

/** Messages of contacts to which more than one reply was given, or none, without a word why. */
const wronglyAnswered = () =>
  read(`
    with reply as (
      select reply.conversation_id, reply.in_reply_to, question.position from ${messagesTable} reply
      join ${messagesTable} question on question.id = reply.in_reply_to where reply.status <> 'failed'
    )
    select heard.id from ${messagesTable} heard
    where heard.direction = 'inbound' and (
      (select count(*) from reply where in_reply_to = heard.id) > 1
      or heard.error is null and not exists (
        select from reply where conversation_id = heard.conversation_id and position >= heard.position
      ))`);

test(`each message has one reply at most, and one or a word why not, whatever happens (PARLEY_SEED=${seed})`, async () => {
  const chat = await chatAccount(stack, { balance: 1_000, assistantId: createAssistant });
  const customers = Array.from({ length: 10 }, () => freshCustomerNumber());
  let written = 0;
  async function writes() {
    const from = oneOf(customers);
    for (let row = 1 + Math.floor(random() * 3); row > 0; row -= 1) {
      written += 1;
      const message = { to: chat.senderPhone, from, text: `Message ${written}` };
      await control('chat/inbound', message, stack.sandboxUrl);
    }
  }
  const dies = () =>
    stack.signal(oneOf(['messaging', 'messaging-2']), oneOf(['SIGKILL', 'SIGTERM'] as const));
  const fails = () => {
    const mode = oneOf(['reject', 'error', 'timeout']);
    const fault = { provider: 'chat', operation: 'send_message', mode, takes_effect: random() < 0.5 };
    return control('faults', { ...fault, times: 1 }, stack.sandboxUrl);
  };
  const timePasses = () => advance(10 + Math.floor(random() * 30));
  const all = [...Array.from({ length: 14 }, () => writes), timePasses, timePasses, fails, dies];
  for (let left = happenings; left > 0; left -= 1) {
    await oneOf(all)();
    await pause(random() * 400);
  }
  isWell = true;
  const inHand = `select from es.timers where kind in ('ai-reply', 'message-check') and due_at < es.now() + interval '1 hour'`;
  for (let rounds = 20; rounds > 0 && (await read(inHand)).length > 0; rounds -= 1) {
    await advance(31);
    await eventually(async () => expect(await read(`${inHand} and due_at <= es.now()`)).toEqual([]));
  }
  await eventually(async () =>
    expect(await read(`select from ${messagesTable} where direction = 'inbound'`)).toHaveLength(written),
  );
  await eventually(async () => expect(await wronglyAnswered()).toEqual([]));
});
