import { sendChatAppTemplate } from '@parley/contracts';
import { eventually, type RunningStack } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { type AskedSend, type ChatAccount, chatAccount, sentTo } from '../support/chat.ts';
import { advanceClock, freshCustomerNumber } from '../support/chat-platform.ts';
import { readRowsOf } from '../support/database.ts';
import { startOwnStack } from '../support/own-stack.ts';
import { balanceOf, errorOf, sendGreeting } from './sending.ts';

let stack: RunningStack;
beforeAll(async () => {
  stack = await startOwnStack({ copies: { gateway: 2, accounts: 1, assistants: 1, messaging: 2 } });
});
afterAll(async () => {
  await stack?.stop();
});

/** An account whose clients send without a pause, and what came of it. */
interface Sending {
  readonly chat: ChatAccount;
  readonly phones: Set<string>;
  readonly answers: Answer[];
}

/** Two clients send until `isOver`, each message under a key of its own until it is answered. */
async function keepSending({ chat, phones, answers }: Sending, isOver: () => boolean): Promise<void> {
  const client = async () => {
    while (!isOver()) {
      const to = freshCustomerNumber();
      phones.add(to);
      answers.push(await sendGreeting(stack, chat, to));
    }
  };
  await Promise.all([client(), client()]);
}

const messageOf = ({ body }: Answer) =>
  `message-${sendChatAppTemplate.success.schema.parse(body).message_id}`;

function expectOncePerAnswer(answers: readonly Answer[], asked: readonly AskedSend[]): void {
  const references = asked.map(({ reference }) => reference);
  expect(new Set(references).size).toBe(references.length);
  expect(new Set(asked.map(({ to }) => to)).size).toBe(asked.length);
  const acknowledged = answers.filter(({ status }) => status === 200).map(messageOf);
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
  const sent = new Set(references.map((reference) => reference.replace(/-[0-9a-f]{12}$/, '')));
  expect(acknowledged.filter((message) => !sent.has(message))).toEqual([]);
  for (const answer of answers.filter(({ status }) => status !== 200))
    expect(errorOf(answer), answer.text).toEqual({ status: 422, error_code: 'SEND_FAILED' });
}

const advance = (seconds: number) => advanceClock(seconds, stack.sandboxUrl);

/** Only messages that the platform may yet tell of are looked at again. */
const untilNothingIsChecked = () =>
  eventually(async () => {
    const query = `select from es.timers where kind = 'message-check' and due_at < es.now() + interval '1 hour'`;
    expect(await readRowsOf(stack.databaseUrl, 'messaging', query)).toEqual([]);
  });

/** The greeting costs 0.05: so much is left of 100, and nothing set aside. */
const balanceAfter = (messages: number) => (100 - messages * 0.05).toFixed(2);

test('kill -9 of messaging, accounts and NATS at random moments loses no acknowledged send, sends none twice, and keeps no money', async () => {
  const sendings = await Promise.all(
    Array.from(
      { length: 8 },
      async (): Promise<Sending> => ({ chat: await chatAccount(stack), phones: new Set(), answers: [] }),
    ),
  );
  const answered = () => sendings.reduce((sum, { answers }) => sum + answers.length, 0);
  let isOver = false;
  const clients = sendings.map((sending) => keepSending(sending, () => isOver));
  for (const victim of ['messaging', 'nats', 'messaging-2', 'accounts', 'messaging', 'nats']) {
    const before = answered();
    await eventually(() => expect(answered()).toBeGreaterThan(before + 20));
    await stack.signal(victim, 'SIGKILL');
  }
  isOver = true;
  await Promise.all(clients);

  const sent = await sentTo(stack);
  const askedBy = ({ phones }: Sending) => sent.filter(({ to }) => phones.has(to));
  for (const sending of sendings) expectOncePerAnswer(sending.answers, askedBy(sending));
  // What the platform took is paid, also where its answer got lost with a process: the callbacks tell.
  const expectPaid = (more: object) =>
    eventually(async () => {
      for (const sending of sendings)
        expect(await balanceOf(sending.chat.api)).toMatchObject({
          total_balance: balanceAfter(askedBy(sending).length),
          ...more,
        });
    });
  await expectPaid({});
  await advance(60);
  await untilNothingIsChecked();
  await advance(24 * 60 * 60);
  await expectPaid({ reserved_balance: '0.00' });
});
