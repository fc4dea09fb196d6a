import { eventually, type RunningStack } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAssistant } from '../support/assistants.ts';
import { chatAccount, messagesTable, sentTo, timesModelAsked, untilAnswering } from '../support/chat.ts';
import { advanceClock, control, freshCustomerNumber } from '../support/chat-platform.ts';
import { type HeldLock, holdLock, logHead, writesTo } from '../support/locks.ts';
import { startOwnStack } from '../support/own-stack.ts';
import { drawn, seed } from '../support/tier.ts';
import { balanceOf, conversationWith, readConversation, whyNotAnswered } from './sending.ts';

/** A stack of its own with one copy of everything: a step that waits there waits altogether. */
let stack: RunningStack;
beforeAll(async () => {
  stack = await startOwnStack();
});
afterAll(async () => {
  await stack?.stop();
});

const advance = (seconds: number) => advanceClock(seconds, stack.sandboxUrl);
const silence = (provider: string, operation: string, takes_effect: boolean) =>
  control('faults', { provider, operation, mode: 'timeout', times: 1, takes_effect }, stack.sandboxUrl);

/** Lets the contact write, and the reply come to its step; resolves with what holds it there. */
type Step = (write: () => Promise<unknown>, from: string, text: string) => Promise<HeldLock | null>;

/** The message itself needs no money: only its reply waits for the ledger, and then for each lock in turn. */
const waitsFor =
  (...further: readonly (readonly [service: string, lock: string])[]): Step =>
  async (write) => {
    let held = await holdLock(stack.databaseUrl, 'accounts', logHead);
    await write();
    await held.untilAwaited();
    for (const [service, lock] of further) {
      const next = await holdLock(stack.databaseUrl, service, lock);
      await held.release();
      await next.untilAwaited();
      held = next;
    }
    return held;
  };
const intent = ['messaging', writesTo(messagesTable)] as const;
const payment = ['accounts', logHead] as const;
const outcome = ['messaging', logHead] as const;

const waitsForModel: Step = async (write, _, text) => {
  await silence('llm', 'complete', false);
  await write();
  await eventually(async () => expect(await timesModelAsked(stack, text)).toBe(1));
  return null;
};

const waitsForPlatform =
  (takesEffect: boolean): Step =>
  async (write, from) => {
    await silence('chat', 'send_message', takesEffect);
    await write();
    await eventually(async () => expect(await sentTo(stack, from)).toHaveLength(1));
    return null;
  };

const steps: readonly (readonly [string, Step, 'given' | 'perhaps given'])[] = [
  ['while the language model thinks', waitsForModel, 'given'],
  ['while its money is set aside', waitsFor(), 'given'],
  ['while its intent is put on record', waitsFor(intent), 'perhaps given'],
  ['while the platform, which has not taken it, is waited for', waitsForPlatform(false), 'perhaps given'],
  ['while the platform, which has taken it, is waited for', waitsForPlatform(true), 'given'],
  ['while it is paid', waitsFor(intent, payment), 'given'],
  ['while its outcome is put on record', waitsFor(intent, payment, outcome), 'given'],
];

describe(`a reply whose process is killed (PARLEY_SEED=${seed})`, () => {
  test.each(drawn(steps, 3))(
    '%s is given at most once, and paid for when it was',
    async (_, stand, expected) => {
      const chat = await chatAccount(stack, { assistantId: (api) => createAssistant(api) });
      const from = freshCustomerNumber();
      const text = `Question of ${from}`;
      const write = () => control('chat/inbound', { to: chat.senderPhone, from, text }, stack.sandboxUrl);
      const held = await stand(write, from, text);
      await stack.signal('messaging', 'SIGKILL');
      await held?.release();
      await untilAnswering(chat.api);
      const uuid = await conversationWith(chat, from);
      const replies = async () =>
        (await readConversation(chat, uuid)).messages.filter(({ author }) => author === 'assistant');
      // Past the patience with a reply whose process is gone.
      await advance(31);
      await eventually(async () => expect(await replies()).toHaveLength(1));
      // What was handed over to nobody's knowledge is looked at again; only then does its day of silence begin.
      await eventually(async () => expect((await replies())[0]?.status).not.toBe('queued'));
      const isGiven = async () => ['sent', 'delivered'].includes(String((await replies())[0]?.status));
      if (expected === 'given')
        await eventually(async () => {
          expect(await isGiven()).toBe(true);
          expect(await balanceOf(chat.api)).toMatchObject({ total_balance: '99.98' });
        });
      // After a day of silence nobody waits for the platform any more.
      await advance(24 * 60 * 60);
      await eventually(async () => {
        const total_balance = (await isGiven()) ? '99.98' : '100.00';
        expect(await balanceOf(chat.api)).toMatchObject({ total_balance, reserved_balance: '0.00' });
      });
      expect((await isGiven()) ? [1] : [0, 1]).toContain((await sentTo(stack, from)).length);
      expect(await replies()).toHaveLength(1);
    },
  );
});

test('what is not answered is on record once when its process is killed while it is put there', async () => {
  const chat = await chatAccount(stack, { assistantId: (api) => createAssistant(api) });
  const from = freshCustomerNumber();
  const text = `Unheard of ${from}`;
  const fault = { provider: 'llm', operation: 'complete', mode: 'error', times: 10 };
  await control('faults', fault, stack.sandboxUrl);
  await control('chat/inbound', { to: chat.senderPhone, from, text }, stack.sandboxUrl);
  for (let tries = 1; tries < 10; tries += 1) {
    await eventually(async () => expect(await timesModelAsked(stack, text)).toBe(tries));
    await advance(31);
  }
  await eventually(async () => expect(await timesModelAsked(stack, text)).toBe(10));
  const held = await holdLock(stack.databaseUrl, ...outcome);
  await advance(31);
  await held.untilAwaited();
  await stack.signal('messaging', 'SIGKILL');
  await held.release();
  await untilAnswering(chat.api);
  await eventually(async () => expect(await whyNotAnswered(chat)).toEqual(['given_up']));
  await advance(31);
  expect(await sentTo(stack, from)).toEqual([]);
  expect(await whyNotAnswered(chat)).toEqual(['given_up']);
});
