import { getWebhookSecret, rotateWebhookSecret } from '@parley/contracts';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assistantsService } from '../../assistants-service.ts';
import { createClockMover, createCustomer, type DeliveryItem } from '../webhooks.fixture.ts';
import { attemptTimerId } from './attempt-timer.ts';
import { busy, type Receiver, receiver, withStatus } from './receiver.fixture.ts';
import { attemptDelaysMs } from './schedule.ts';

/** These tests move the platform clock, so they run one after another on copies of their own. */
let copies: ServiceCopies;
let advance: (seconds: number) => Promise<void>;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 2, { ALLOW_LOOPBACK_REQUESTS: 'true' });
  advance = createClockMover(copies);
});
afterAll(() => copies?.close());

const customerAt = async (url: string) => {
  const customer = createCustomer(copies);
  await customer.setUrl(url);
  return customer;
};
const hour = 3600;
const secondsBetween = (earlier: string | null | undefined, later: string | null | undefined): number =>
  (new Date(later ?? '').getTime() - new Date(earlier ?? '').getTime()) / 1000;
const waitingTime = ({ attempts, next_attempt_at }: DeliveryItem): number =>
  secondsBetween(attempts.at(-1)?.at, next_attempt_at);

/** By the clock that moves: how long until a delivery is really looked at, whatever its item says. */
async function secondsUntilDue(id: string | null): Promise<number> {
  const { rows } = await copies.pool.query<{ seconds: number }>(
    'select extract(epoch from due_at - es.now())::float8 as seconds from es.timers where id = $1',
    [attemptTimerId(id ?? '')],
  );
  return rows[0]?.seconds ?? Number.NaN;
}

/** Goes to the moment of the next attempt, and waits for it. */
async function goToNextAttempt(customer: ReturnType<typeof createCustomer>, item: DeliveryItem) {
  const { rows } = await copies.pool.query<{ now: Date }>('select es.now() as now');
  const left = secondsBetween(rows[0]?.now.toISOString(), item.next_attempt_at);
  expect(await secondsUntilDue(item.id)).toBeGreaterThan(0.8 * left - 1);
  await advance(Math.max(0, left));
  return eventually(async () => {
    const after = await customer.delivery(item.id);
    expect(after.attempts).toHaveLength(item.attempts.length + 1);
    return after;
  });
}

test('ten attempts follow the schedule and are never early; then the delivery is exhausted', async () => {
  const endpoint = await receiver(withStatus(500));
  const customer = await customerAt(endpoint.url);
  let item = await customer.tried(await customer.queue());
  for (const delayMs of attemptDelaysMs.slice(item.attempts.length)) {
    const planned = item.next_attempt_at;
    const waiting = waitingTime(item);
    expect(waiting).toBeGreaterThanOrEqual((delayMs / 1000) * 0.8);
    expect(waiting).toBeLessThanOrEqual((delayMs / 1000) * 1.2 + 20);
    item = await goToNextAttempt(customer, item);
    expect(secondsBetween(planned, item.attempts.at(-1)?.at)).toBeGreaterThanOrEqual(0);
    expect(secondsBetween(planned, item.attempts.at(-1)?.at)).toBeLessThan(60);
  }
  const { status, next_attempt_at, attempts } = await customer.settled(item.id, 'exhausted', 10);
  expect(next_attempt_at).toBeNull();
  expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(attempts.at(-1)).toMatchObject({ status_code: 500, error: 'The endpoint answered 500.' });
  const total = secondsBetween(attempts[0]?.at, attempts.at(-1)?.at) / hour;
  expect(total).toBeGreaterThan(75.6 * 0.8);
  expect(total).toBeLessThan(75.6 * 1.2 + 0.1);
  expect([status, endpoint.received.length]).toEqual(['exhausted', 10]);
  // However far the clock has moved, receivers of today verify: id and bytes stay, each attempt has its own time.
  const secret = await customer.secret();
  for (const { id, body, headers } of endpoint.received) {
    expect([id, body]).toEqual([item.id, endpoint.received[0]?.body]);
    new Webhook(secret).verify(body, headers as Record<string, string>);
  }
});

test('a receiver that names seconds, or a date, is asked again then; within a second and a day', async () => {
  const answers: [header: () => string, seconds: number][] = [
    [() => '120', 120],
    [() => new Date(Date.now() + hour * 1000).toUTCString(), hour],
    [() => '999999', 24 * hour],
    [() => '0', 1],
    [() => 'soon', 5 * hour],
  ];
  const endpoint: Receiver = await receiver((webhook, response) => {
    const [header] = answers[endpoint.received.length - 1] ?? [];
    withStatus(503, { 'retry-after': header?.() ?? '' })(webhook, response);
  });
  const customer = await customerAt(endpoint.url);
  const id = await customer.queue();
  for (const [turn, [, seconds]] of answers.entries()) {
    const waits = await eventually(async () => {
      const { rows } = await copies.pool.query<{ seconds: number }>(
        `select (data ->> 'retry_in_ms')::float8 / 1000 as seconds from es.events
         where type = 'WebhookAttemptFailed' and account_id = $1 order by position offset $2 limit 1`,
        [customer.accountId, turn],
      );
      expect(rows).toHaveLength(1);
      return rows[0]?.seconds ?? 0;
    });
    const tolerance = seconds === 5 * hour ? 0.2 * seconds : 20;
    expect(Math.abs(waits - seconds)).toBeLessThanOrEqual(tolerance);
    expect(await secondsUntilDue(id)).toBeGreaterThan(waits - 20);
    await advance(waits);
  }
});

test('a success after failures ends it, and a redirect is a failure that is not followed', async () => {
  const elsewhere = await receiver();
  const answers = [
    withStatus(302, { location: elsewhere.url }),
    withStatus(308, { location: elsewhere.url }),
  ];
  const endpoint = await receiver((webhook, response) =>
    (answers.shift() ?? withStatus(204))(webhook, response),
  );
  const customer = await customerAt(endpoint.url);
  const item = await customer.settled(await customer.queue(), 'pending', 2);
  expect(item.attempts.map(({ error }) => error)).toEqual([
    'The endpoint answered 302; redirects are not followed.',
    'The endpoint answered 308; redirects are not followed.',
  ]);
  await goToNextAttempt(customer, item);
  await customer.settled(item.id, 'delivered', 3);
  await advance(100 * hour);
  expect(elsewhere.received).toHaveLength(0);
  expect(endpoint.received).toHaveLength(3);
});

const disablings = async (accountId: number): Promise<readonly string[]> => {
  const { rows } = await copies.pool.query<{ reason: string }>(
    `select data ->> 'reason' as reason from es.events where type = 'VoiceWebhookDisabled' and account_id = $1`,
    [accountId],
  );
  return rows.map(({ reason }) => reason);
};

test('410 turns the endpoint off at once and for all that wait; it can be set again', async () => {
  const endpoint = await receiver(busy);
  const customer = await customerAt(endpoint.url);
  const ids = await Promise.all(Array.from({ length: 5 }, () => customer.queue()));
  for (const id of ids) await customer.settled(id, 'pending', 1);
  endpoint.answer = withStatus(410);
  const id = await customer.queue();
  const item = await customer.settled(id, 'cancelled', 1);
  expect(item.attempts).toMatchObject([{ status_code: 410, error: 'The endpoint answered 410.' }]);
  await eventually(async () => expect(await disablings(customer.accountId)).toEqual(['gone']));
  for (const each of ids) await customer.settled(each, 'cancelled', 1);
  expect(await customer.queue()).toBeNull();
  await advance(hour);
  expect(endpoint.received).toHaveLength(6);
  endpoint.answer = withStatus(200);
  await customer.setUrl(endpoint.url);
  await customer.settled(await customer.queue(), 'delivered');
});

test('five days of nothing but failures turn the endpoint off, once', async () => {
  const endpoint = await receiver(busy);
  const customer = await customerAt(endpoint.url);
  const ids = await Promise.all(Array.from({ length: 4 }, () => customer.queue()));
  for (const id of ids) await customer.settled(id, 'pending', 1);
  await advance(4.9 * 24 * hour);
  for (const id of ids) await customer.settled(id, 'pending', 2);
  expect(await disablings(customer.accountId)).toEqual([]);
  await advance(0.1 * 24 * hour + 60);
  for (const id of ids) await customer.settled(id, 'cancelled');
  await eventually(async () => expect(await disablings(customer.accountId)).toEqual(['failing']));
  expect(await customer.queue()).toBeNull();
});

test('what fails late at an earlier URL does not count against that of now', async () => {
  let fail = () => {};
  const old = await receiver((_, response) => {
    fail = () => response.writeHead(500).end();
  });
  const customer = await customerAt(old.url);
  const first = await customer.queue();
  await eventually(() => expect(old.received).toHaveLength(1));
  const endpoint = await receiver(busy);
  await customer.setUrl(endpoint.url);
  await customer.settled(first, 'cancelled');
  fail();
  await customer.settled(first, 'cancelled', 1);
  await advance(5 * 24 * hour + 60);
  const { next_attempt_at } = await customer.settled(await customer.queue(), 'pending', 1);
  expect(next_attempt_at).not.toBeNull();
  expect(await disablings(customer.accountId)).toEqual([]);
});

test('one success in between starts the five days anew', async () => {
  const endpoint = await receiver(busy);
  const customer = await customerAt(endpoint.url);
  const first = await customer.queue();
  await customer.settled(first, 'pending', 1);
  await advance(3 * 24 * hour);
  await customer.settled(first, 'pending', 2);
  endpoint.answer = withStatus(200);
  await customer.settled(await customer.queue(), 'delivered');
  endpoint.answer = busy;
  const second = await customer.queue();
  await customer.settled(second, 'pending', 1);
  await advance(4 * 24 * hour);
  await customer.settled(second, 'pending', 2);
  expect(await disablings(customer.accountId)).toEqual([]);
  await advance(24 * hour + 60);
  await eventually(async () => expect(await disablings(customer.accountId)).toEqual(['failing']));
});

test('turning the webhook off stops 100 waiting deliveries at once, and turning it on again sends none of them', async () => {
  const endpoint = await receiver(busy);
  const customer = await customerAt(endpoint.url);
  const ids = await Promise.all(Array.from({ length: 100 }, () => customer.queue()));
  await eventually(async () => {
    for (const item of await customer.deliveries()) expect(item.attempts.length).toBeGreaterThan(0);
  });
  // Whatever they wait for is over: all of them are due now, and some are being sent.
  const before = endpoint.received.length;
  await advance(hour);
  await eventually(() => expect(endpoint.received.length).toBeGreaterThan(before));
  await customer.setUrl(null);
  const sent = endpoint.received.length;
  await eventually(async () => {
    for (const { status } of await customer.deliveries()) expect(status).toBe('cancelled');
  });
  await customer.setUrl(endpoint.url);
  await advance(48 * hour);
  const marker = await customer.queue();
  await customer.settled(marker, 'pending', 1);
  // Those that were on their way: an endpoint is sent four at a time.
  const late = endpoint.received.slice(sent).filter(({ id }) => id !== marker);
  expect(late.length).toBeLessThanOrEqual(4);
  expect(new Set(ids).size).toBe(100);
});

test('a delivery goes to no URL but the one it was made for', async () => {
  const endpoint = await receiver(busy);
  const another = await receiver();
  const customer = await customerAt(endpoint.url);
  const id = await customer.queue();
  await customer.settled(id, 'pending', 1);
  await customer.setUrl(another.url);
  await customer.settled(id, 'cancelled', 1);
  await advance(hour);
  await customer.settled(await customer.queue(), 'delivered');
  expect(another.received).toHaveLength(1);
  expect(endpoint.received).toHaveLength(1);
});

test('a rotated secret signs beside the new one for 24 hours, and is deleted some time later', async () => {
  const endpoint = await receiver();
  const customer = await customerAt(endpoint.url);
  const old = await customer.secret();
  await customer.call(rotateWebhookSecret, {});
  const signatures = async () => {
    await customer.settled(await customer.queue(), 'delivered');
    return String(endpoint.received.at(-1)?.headers['webhook-signature']).split(' ').length;
  };
  await advance(23.9 * hour);
  expect(await signatures()).toBe(2);
  await advance(0.2 * hour);
  expect(await signatures()).toBe(1);
  const { data } = await customer.call(getWebhookSecret, {});
  expect(data).toMatchObject({ previous_secret: null, previous_valid_until: null });
  const kept = () => copies.pool.query('select 1 from secrets.webhook_keys where secret = $1', [old]);
  expect((await kept()).rows).toHaveLength(1);
  await advance(25 * hour);
  await eventually(async () => expect((await kept()).rows).toHaveLength(0));
});
