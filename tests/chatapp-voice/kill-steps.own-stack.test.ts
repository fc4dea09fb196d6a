import { setTimeout as sleep } from 'node:timers/promises';
import { requestCallPermission } from '@parley/contracts';
import { eventually, type RunningStack } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { untilAnswering } from '../support/chat.ts';
import { control } from '../support/chat-platform.ts';
import { untilDefinite } from '../support/coming-back.ts';
import { readRowsOf } from '../support/database.ts';
import { type HeldLock, holdLock, logHead, readsOf } from '../support/locks.ts';
import { startOwnStack } from '../support/own-stack.ts';
import { drawn, seed } from '../support/tier.ts';
import { advance, error, type Pair, timesAsked, voicePair } from './voice-stack.ts';

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
const hold = (lock: string) => holdLock(stack.databaseUrl, 'messaging', lock);
const onRecord = ({ accountId }: Pair, type: string) =>
  readRowsOf(
    stack.databaseUrl,
    'messaging',
    `select from es.events where account_id = ${accountId} and type = '${type}'`,
  );
const untilOnRecord = (pair: Pair, type: string) =>
  eventually(async () => expect(await onRecord(pair, type)).toHaveLength(1));

/** Lets an ask begin and come to its step; resolves with what holds it there. */
type Step = (begin: () => void, pair: Pair) => Promise<HeldLock | null>;

const waitsFor =
  (lock: string): Step =>
  async (begin) => {
    const held = await hold(lock);
    begin();
    await held.untilAwaited();
    return held;
  };

const waitsForPlatform =
  (takes_effect: boolean): Step =>
  async (begin, { customer }) => {
    const operation = 'send_permission_request';
    const silence = { provider: 'chat', operation, mode: 'timeout', times: 1, takes_effect };
    await control('faults', silence, stack.sandboxUrl);
    begin();
    await eventually(async () => expect(await timesAsked(stack, customer)).toBe(1));
    return null;
  };

/** The platform stands still while the log is taken hold of, and answers into it. */
const waitsForOutcome: Step = async (begin, pair) => {
  await stack.signal('sandbox', 'SIGSTOP');
  begin();
  await untilOnRecord(pair, 'CallPermissionAskStarted');
  const held = await hold(logHead);
  await stack.signal('sandbox', 'SIGCONT');
  await held.untilAwaited();
  return held;
};

/** What the one who asks is told, and how often the customer was asked. */
interface Ending {
  readonly status: 200 | 422;
  readonly asked: 0 | 1;
}
const isAsked: Ending = { status: 200, asked: 1 };
const isUnknown: Ending = { status: 422, asked: 1 };
const isUnknownAndNotAsked: Ending = { status: 422, asked: 0 };

const steps: readonly (readonly [string, Step, Ending | null])[] = [
  ['before it is on record', waitsFor(readsOf('view_senders_v3.senders')), isAsked],
  // Postgres has its commit already, most often: nobody knows then that the customer was not asked.
  ['while it is put on record', waitsFor(logHead), null],
  ['while the platform, which has not taken it, is waited for', waitsForPlatform(false), isUnknown],
  ['while the platform, which has taken it, is waited for', waitsForPlatform(true), isAsked],
  ['while its outcome is put on record', waitsForOutcome, isAsked],
];

describe(`an ask whose process is killed (PARLEY_SEED=${seed})`, () => {
  test.each(drawn(steps, 2))('%s reaches the customer at most once', async (_, stand, ending) => {
    const pair = await voicePair(stack);
    await pair.write();
    const body = { sender_id: pair.sender.id, recipient_phone: pair.customer };
    const headers = { 'idempotency-key': pair.customer };
    let answering: Promise<Answer> | undefined;
    const held = await stand(() => {
      answering = untilDefinite(() => pair.api.post(requestCallPermission.path, body, headers));
    }, pair);
    await stack.signal('messaging', 'SIGKILL');
    await held?.releaseToTheDead();
    const isLeftBehind = (await onRecord(pair, 'CallPermissionAskStarted')).length > 0;
    const { status, asked } = ending ?? (isLeftBehind ? isUnknownAndNotAsked : isAsked);
    await untilAnswering(pair.api);
    // The platform's word is told again until somebody listens.
    if (status === 200 && (await timesAsked(stack, pair.customer)) > 0)
      await untilOnRecord(pair, 'CallPermissionRequested');
    // Past the patience with an ask whose process is gone, and past the minute that holds five requests.
    await advance(stack, 70);
    const answer = await answering;
    // Where nobody listened for longer than a lease, the check was quicker than the platform's word.
    const isUncertain = (await onRecord(pair, 'CallPermissionAskUncertain')).length > 0;
    expect(isUncertain ? [status, 422] : [status], answer?.text).toContain(answer?.status);
    if (answer?.status === 200) expect(answer?.body).toMatchObject({ success: true, status: 'pending' });
    else expect(answer?.body).toMatchObject({ error_code: 'SEND_FAILED', details: { outcome: 'unknown' } });
    await advance(stack, 70);
    expect((await pair.ask()).body).toEqual(error('REQUEST_LIMIT'));
    expect(await timesAsked(stack, pair.customer)).toBe(asked);
  });
});

test('an ask that the platform takes its time for is nobody else’s to look after', async () => {
  const pair = await voicePair(stack);
  await pair.write();
  await stack.signal('sandbox', 'SIGSTOP');
  const asking = pair.asked();
  await sleep(longerThanALease);
  await stack.signal('sandbox', 'SIGCONT');
  expect(await asking).toMatchObject({ status: 'pending' });
  expect(await pair.permission()).toMatchObject({ status: 'pending' });
  const query = `select type from es.events where account_id = ${pair.accountId} and type like 'CallPermission%'`;
  const rows = await readRowsOf<{ type: string }>(stack.databaseUrl, 'messaging', query);
  expect(rows.map(({ type }) => type)).toEqual(['CallPermissionAskStarted', 'CallPermissionRequested']);
});
