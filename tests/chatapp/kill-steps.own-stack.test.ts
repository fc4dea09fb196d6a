import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type RunningStack } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { chatAccount, conversationsTable, messagesTable, sentTo, untilAnswering } from '../support/chat.ts';
import { advanceClock, control, freshCustomerNumber } from '../support/chat-platform.ts';
import { readRowsOf } from '../support/database.ts';
import { type HeldLock, holdLock, logHead, writesTo } from '../support/locks.ts';
import { startOwnStack } from '../support/own-stack.ts';
import { drawn, seed } from '../support/tier.ts';
import { balanceOf, errorOf, sendGreeting } from './sending.ts';

/** A stack of its own with one copy of everything: a step that waits there waits altogether. */
let stack: RunningStack;
beforeAll(async () => {
  stack = await startOwnStack();
});
afterAll(async () => {
  await stack?.stop();
});

/** Milliseconds. */
const longerThanALease = 4_000;
const advance = (seconds: number) => advanceClock(seconds, stack.sandboxUrl);
const hold = (service: string, lock: string) => holdLock(stack.databaseUrl, service, lock);
const conversations = writesTo(conversationsTable);
const messages = writesTo(messagesTable);

type Outcome = 'MessageSent' | 'MessageOutcomeUnknown';

/** What is on record of the account's message, in order: that the platform has taken it, that nobody knows. */
async function outcomesOf(accountId: number): Promise<readonly Outcome[]> {
  const query = `select type from es.events where account_id = ${accountId}
    and type in ('MessageSent', 'MessageOutcomeUnknown') order by position`;
  const rows = await readRowsOf<{ type: Outcome }>(stack.databaseUrl, 'messaging', query);
  return rows.map(({ type }) => type);
}

/** Lets a send begin and come to its step; resolves with what holds it there. */
type Step = (begin: () => void, to: string) => Promise<HeldLock | null>;

const waitsFor =
  (service: string, lock: string): Step =>
  async (begin) => {
    const held = await hold(service, lock);
    begin();
    await held.untilAwaited();
    return held;
  };

const waitsForPlatform =
  (takes_effect: boolean): Step =>
  async (begin, to) => {
    const silence = { provider: 'chat', operation: 'send_message', mode: 'timeout', times: 1, takes_effect };
    await control('faults', silence, stack.sandboxUrl);
    begin();
    await eventually(async () => expect(await sentTo(stack, to)).toHaveLength(1));
    return null;
  };

/** The ledger is held only after the money is set aside: while the intent waits. */
const waitsForPayment: Step = async (begin) => {
  const intent = await waitsFor('messaging', messages)(begin, '');
  const payment = await hold('accounts', logHead);
  await intent?.release();
  await payment.untilAwaited();
  return payment;
};

const waitsForAnswer: Step = async (begin) => {
  const payment = await waitsForPayment(begin, '');
  const answer = await hold('messaging', logHead);
  await payment?.release();
  await answer.untilAwaited();
  return answer;
};

const steps: readonly (readonly [string, Step, 'sent' | 'perhaps sent'])[] = [
  ['before anything is on record', waitsFor('messaging', logHead), 'sent'],
  ['while its money is set aside', waitsFor('accounts', logHead), 'sent'],
  ['while its conversation begins', waitsFor('messaging', conversations), 'sent'],
  ['while its intent is put on record', waitsFor('messaging', messages), 'perhaps sent'],
  ['while the platform, which has not taken it, is waited for', waitsForPlatform(false), 'perhaps sent'],
  ['while the platform, which has taken it, is waited for', waitsForPlatform(true), 'sent'],
  ['while it is paid', waitsForPayment, 'sent'],
  ['while its answer is put on record', waitsForAnswer, 'sent'],
];

describe(`a send whose process is killed (PARLEY_SEED=${seed})`, () => {
  test.each(drawn(steps, 3))(
    '%s is sent at most once, and paid for when it was',
    async (_, stand, outcome) => {
      const chat = await chatAccount(stack);
      const to = freshCustomerNumber();
      let answering: Promise<Answer> | undefined;
      const held = await stand(() => {
        answering = sendGreeting(stack, chat, to);
      }, to);
      await stack.signal('messaging', 'SIGKILL');
      await held?.release();
      await untilAnswering(chat.api);
      // The platform's word is told again until somebody listens.
      if (outcome === 'sent' && (await sentTo(stack, to)).length > 0)
        await eventually(async () => expect(await outcomesOf(chat.account.id)).toContain('MessageSent'));
      // So that nobody waits for the checks of what the dead process left.
      await advance(30);
      const answer = await answering;
      if (!answer) throw new Error('Nothing was sent.');
      const isSent = answer.status === 200;
      if (!isSent) expect(errorOf(answer)).toEqual({ status: 422, error_code: 'SEND_FAILED' });
      const [known, ...later] = await outcomesOf(chat.account.id);
      // Where nobody listened for longer than a message waits, its check was quicker than the platform's word.
      if (outcome === 'sent') expect(isSent || known === 'MessageOutcomeUnknown', answer.text).toBe(true);
      const isPaid = isSent || later.includes('MessageSent');
      const total_balance = isPaid ? '99.95' : '100.00';
      await eventually(async () => expect(await balanceOf(chat.api)).toMatchObject({ total_balance }));
      await advance(24 * 60 * 60);
      await eventually(async () =>
        expect(await balanceOf(chat.api)).toMatchObject({ total_balance, reserved_balance: '0.00' }),
      );
      const asked = (await sentTo(stack, to)).length;
      expect(isPaid ? [1] : [0, 1]).toContain(asked);
    },
  );
});

test('a send that the platform takes its time for is nobody else’s to look after', async () => {
  const chat = await chatAccount(stack);
  await stack.signal('sandbox', 'SIGSTOP');
  const sending = sendGreeting(stack, chat, freshCustomerNumber());
  await sleep(longerThanALease);
  await stack.signal('sandbox', 'SIGCONT');
  expect((await sending).status).toBe(200);
  expect(await outcomesOf(chat.account.id)).toEqual(['MessageSent']);
});
