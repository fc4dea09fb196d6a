import { type RunningStack } from '@parley/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { greeting, sendPath } from '../chatapp/sending.ts';
import { advance, hours, voicePair } from '../chatapp-voice/voice-stack.ts';
import { type Answer, createApi } from '../support/api.ts';
import { chatAccount } from '../support/chat.ts';
import { freshCustomerNumber } from '../support/chat-platform.ts';
import { comingBack } from '../support/coming-back.ts';
import { reportFigure } from '../support/figures.ts';
import { startOwnStack } from '../support/own-stack.ts';
import { isNightly } from '../support/tier.ts';

/** A stack of its own: three gateways, and a clock that goes forward by hours. */
let stack: RunningStack;
beforeAll(async () => {
  stack = await startOwnStack({ copies: { gateway: 3, accounts: 2, messaging: 2 } });
});
afterAll(async () => {
  await stack?.stop();
});

const seconds = isNightly ? 60 : 6;
/** So many are allowed in that time; on a machine that stands still for seconds they take longer. */
const wanted = 5 * seconds - 5;
const patienceMs = 60_000;
const connections = 24;

test('five sends of a key in any second, however many ask at once through three gateways', async () => {
  const from = await chatAccount(stack);
  const accepted = await recordAccepted(from.account.id);
  const answers: Answer[] = [];
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;
  const isShort = () => answers.filter(({ status }) => status === 200).length < wanted;
  const drive = async (n: number): Promise<void> => {
    const api = createApi(stack.gatewayUrls[n % 3] ?? '', from.account.key);
    while (performance.now() < endsAt || (isShort() && performance.now() < endsAt + patienceMs))
      answers.push(await api.post(sendPath, greeting(from, freshCustomerNumber())));
  };
  await Promise.all(Array.from({ length: connections }, (_, n) => drive(n)));

  const sent = answers.filter(({ status }) => status === 200);
  // A gateway that stands still for half a second on a busy machine says so, perhaps after the limiter was asked.
  const unavailable = answers.filter(({ status }) => status === 503);
  const refused = answers.filter(({ status }) => status !== 200 && status !== 503);
  reportFigure(
    'L2',
    `${seconds} s, ${connections} connections, 3 gateways: ${sent.length} accepted, ${refused.length} refused, ${unavailable.length} told to come back`,
  );
  expect(sent.length).toBeGreaterThanOrEqual(wanted);
  expect(unavailable.length).toBeLessThanOrEqual(answers.length / 4);
  for (const { headers } of unavailable) expect(headers['retry-after']).toBeDefined();
  // A second is all there is to wait for: rounded up, one.
  for (const { status, headers, body } of refused)
    expect([status, headers['retry-after'], headers['x-ratelimit-limit'], body]).toEqual([
      429,
      '1',
      '5',
      { success: false, message: 'Too Many Attempts.', retry_after: 1 },
    ]);
  const times = await accepted();
  expect(times.length).toBeGreaterThanOrEqual(sent.length);
  expect(times.length).toBeLessThanOrEqual(sent.length + unavailable.length);
  for (const [index, at] of times.entries()) {
    const sixth = times[index + 5];
    if (sixth !== undefined) expect(sixth - at).toBeGreaterThanOrEqual(1_000_000);
  }
});

/**
 * Microseconds of all attempts that the limiter lets through from now on, which itself forgets them after a second. Those
 * that it looks at together have the same.
 */
async function recordAccepted(accountId: number): Promise<() => Promise<number[]>> {
  const url = new URL('/parley_accounts', stack.databaseUrl).href;
  const query = async <T extends pg.QueryResultRow>(text: string): Promise<T[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<T>(text)).rows;
    } finally {
      await client.end();
    }
  };
  await query(`
    create table accepted (at int8, nth int, primary key (at, nth));
    create function record_accepted() returns trigger language plpgsql as $$
    begin
      insert into accepted
        select at, row_number() over (partition by at) from unnest(new.attempts) at on conflict do nothing;
      return null;
    end $$;
    create trigger record_accepted after insert or update on limits.logs
      for each row when (new.account_id = ${accountId}) execute function record_accepted();`);
  return async () =>
    (await query<{ at: number }>('select at::float8 as at from accepted order by at')).map(({ at }) => at);
}

test('permission is asked for five times a minute, twenty an hour and fifty a day', async () => {
  const pair = await voicePair(stack);
  const apis = stack.gatewayUrls.map((url) => comingBack(createApi(url, pair.key)));
  const path = '/api/user/chatapp/voice/request';
  const askAtOnce = (bodyOf: () => object, count = 9): Promise<Answer[]> =>
    Promise.all(
      Array.from({ length: count }, async (_, n) => apis[n % apis.length]?.post(path, bodyOf())),
    ).then((answers) => answers.filter((answer) => answer !== undefined));
  /** Customers who never wrote: the service says no, and such a request counts. */
  const unwelcome = () => ({ sender_id: pair.sender.id, recipient_phone: freshCustomerNumber() });
  const isCounted = ({ status }: Answer) => status !== 429;
  const countedAtOnce = async () => (await askAtOnce(unwelcome)).filter(isCounted).length;
  const stranger = comingBack(createApi(stack.baseUrl, 'no-key'));
  /** Neither what is malformed, nor what comes without a key, nor what the limit refuses uses anything up. */
  const askInVain = async () => {
    const malformed = await askAtOnce(() => ({ sender_id: 'x' }), 3);
    expect(malformed.map(({ status }) => status)).toEqual([422, 422, 422]);
    expect((await stranger.post(path, unwelcome())).status).toBe(401);
  };
  const refusal = async () => {
    const { status, headers, body } = await pair.ask();
    const { retry_after: wait } = body as { retry_after: number };
    expect([status, headers['retry-after']]).toEqual([429, String(wait)]);
    return { max: headers['x-ratelimit-limit'], wait };
  };
  let movedSeconds = 0;
  const move = async (bySeconds: number) => {
    await advance(stack, bySeconds);
    movedSeconds += bySeconds;
  };
  const now = () => Date.now() / 1_000 + movedSeconds;
  /** The limit says to the second when the first of what fills it, asked between the two times, leaves it. */
  const expectRefusal = async (max: number, windowSeconds: number, firstAsked: readonly [number, number]) => {
    const [earliest, latest] = firstAsked;
    const before = now();
    const refused = await refusal();
    expect(refused.max).toBe(String(max));
    expect(refused.wait).toBeGreaterThanOrEqual(earliest + windowSeconds - now() - 1);
    expect(refused.wait).toBeLessThanOrEqual(latest + windowSeconds - before + 1);
    return refused.wait;
  };

  await askInVain();
  await pair.write();
  const began = now();
  await pair.asked();
  const first = [began, now()] as const;
  expect(await countedAtOnce()).toBe(4);
  await askInVain();
  const wait = await expectRefusal(5, 60, first);
  await move(Math.max(0, wait - 30));
  expect(await countedAtOnce()).toBe(0);
  for (const _ of [2, 3, 4]) {
    await move(61);
    expect(await countedAtOnce()).toBe(5);
    await askInVain();
  }
  await move(61);
  expect(await countedAtOnce()).toBe(0);
  await move((await expectRefusal(20, hours(1), first)) - 60);
  expect(await countedAtOnce()).toBe(0);

  for (const inTheHour of [20, 10]) {
    await move(hours(1) + 61);
    for (let counted = 0; counted < inTheHour; counted += 5) {
      expect(await countedAtOnce()).toBe(5);
      await move(61);
    }
  }
  expect(await countedAtOnce()).toBe(0);
  await move((await expectRefusal(50, hours(24), first)) - 60);
  expect(await countedAtOnce()).toBe(0);
  // All of the first minute have left the day, however long it took to ask for them.
  await move(180);
  expect(await countedAtOnce()).toBe(5);
});
