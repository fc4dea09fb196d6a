import type { MessageEvent } from '@parley/contracts';
import {
  Aggregates,
  createPostgresEventStore,
  type PostgresEventStore,
  type SqlExecutor,
  type SqlQuery,
} from '@parley/event-store';
import {
  createInlineProjector,
  type DueTimer,
  prepareProjections,
  verifyProjection,
} from '@parley/processing';
import type { AccountBalance } from '@parley/service-kit';
import { createTestDatabase, golden, patience } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Conversations } from '../conversation/conversations.ts';
import { MessageLog } from '../message/message-log.ts';
import { checkMessage } from '../message/outgoing/check-message.ts';
import { dropMessage } from '../message/outgoing/drop-message.ts';
import { messageChecks } from '../message/outgoing/message-check.ts';
import { startSend } from '../message/outgoing/start-send.ts';
import { recipientsView } from '../views/recipients-view.ts';
import { Recipients } from './recipients.ts';

let copies: PostgresEventStore[] = [];
let drop: () => Promise<void>;

beforeAll(async () => {
  const database = await createTestDatabase();
  drop = database.drop;
  const inlineProjector = createInlineProjector([recipientsView]);
  const options = { connectionString: database.url, inlineProjector, timeouts: patience };
  copies = [await createPostgresEventStore(options), await createPostgresEventStore(options)];
  for (const { pool } of copies) await prepareProjections(pool, [recipientsView]);
});
afterAll(async () => {
  for (const copy of copies) await copy.close();
  await drop?.();
});

const metadata = {
  correlationId: 'r',
  causationId: 'c',
  commandId: null,
  actor: { kind: 'system', id: 'test' },
} as const;

const checked = (message_id: number) => ({ message_id, hold_id: null, command_id: null });

test('of more who want a place at the same moment than there are, through two copies, exactly the limit gets one', async () => {
  const recipients = copies.map((store) => new Recipients(store, store.pool));
  const [first] = recipients;
  const limit = 80;
  const wanted = Array.from({ length: 100 }, (_, n) => n);
  const refusals = await Promise.all(
    wanted.map((n) => {
      const recipient = { accountId: 3, senderId: 7, limit, contactPhone: `+4420794601${n}` };
      return recipients[n % recipients.length]?.admit(recipient, checked(n + 1), metadata);
    }),
  );
  const codes = refusals.filter((refusal) => refusal !== null).map((refusal) => refusal?.code);
  expect(codes).toEqual(Array.from({ length: wanted.length - limit }, () => 'messaging_limit_reached'));
  const admitted = wanted.find((n) => refusals[n] === null) ?? 0;
  const again = { accountId: 3, senderId: 7, limit, contactPhone: `+4420794601${admitted}` };
  expect(await first?.refusal(again)).toBeNull();
  expect(await first?.refusal({ ...again, contactPhone: '+442079469999' })).toMatchObject({
    code: 'messaging_limit_reached',
  });
  expect((await first?.standing(again))?.used).toBe(limit);
});

/** A sender's places, and how often the whole day's recipients were counted for them. */
function countingRecipients() {
  const [store] = copies;
  if (!store) throw new Error('No copy was started.');
  let counts = 0;
  const sql: SqlExecutor = {
    query<Row extends object>(query: SqlQuery) {
      if (query.name === 'recent-recipients') counts += 1;
      return store.pool.query<Row>(query);
    },
  };
  return { store, recipients: new Recipients(store, sql), counts: () => counts };
}

test('a sender with room left has its recipients counted once, one without for each message', async () => {
  const { recipients, counts } = countingRecipients();
  const to = (n: number) => ({ accountId: 3, senderId: 8, limit: 40, contactPhone: `+4420794602${n}` });
  const admitted = Array.from({ length: 40 }, (_, n) => n);
  for (const n of admitted) expect(await recipients.admit(to(n), checked(1_000 + n), metadata)).toBeNull();
  expect(counts()).toBe(1);
  expect(await recipients.admit(to(41), checked(1_041), metadata)).toMatchObject({
    details: { limit: 40, used: 40 },
  });
  expect(await recipients.admit(to(7), checked(1_042), metadata)).toBeNull();
  expect(counts()).toBe(3);
});

test('a line takes one place, whichever of its spellings is written to', async () => {
  const { recipients } = countingRecipients();
  const to = (contactPhone: string) => ({ accountId: 3, senderId: 10, limit: 1, contactPhone });
  for (const [n, phone] of ['+553187654321', '+5531987654321'].entries()) {
    expect(await recipients.admit(to(phone), checked(3_000 + n), metadata)).toBeNull();
    expect(await recipients.standing(to(phone))).toMatchObject({ refusal: null, used: 1 });
  }
  expect(await recipients.refusal(to('+5531987654322'))).toMatchObject({ details: { limit: 1, used: 1 } });
});

test('messages that needed no place since the last count take places of those that do', async () => {
  const { store, recipients } = countingRecipients();
  const to = (n: number) => ({ accountId: 3, senderId: 9, limit: 4, contactPhone: `+4420794603${n}` });
  expect(await recipients.admit(to(1), checked(2_001), metadata)).toBeNull();
  // As when there was no limit for a while; the view does not look at anything else of them.
  const unlimited = [2, 3, 4].map((n) => ({
    type: 'MessageSendStarted',
    data: { kind: 'template', message_id: 2_000 + n, sender_id: 9, contact_phone: to(n).contactPhone },
  }));
  await store.append({
    streamId: 'message-2002',
    category: 'message',
    accountId: 3,
    events: unlimited,
    expectedVersion: 'any',
    metadata,
  });
  expect(await recipients.refusal(to(5))).toMatchObject({ details: { limit: 4, used: 4 } });
  expect(await recipients.refusal(to(3))).toBeNull();
});

/** A sender's only place, taken for a message after it was dropped and its check had fired. */
async function placeOfDropped(messageId: number, senderId: number) {
  const { store, recipients } = countingRecipients();
  const log = new MessageLog(new Aggregates(store));
  await log.change(messageId, 3, metadata, () => dropMessage(checked(messageId)));
  await store.pool.query('delete from es.timers where id = $1', [messageChecks.checkId(messageId)]);
  const to = { accountId: 3, senderId, limit: 1, contactPhone: '+442079460311' };
  expect(await recipients.admit(to, checked(messageId), metadata)).toBeNull();
  const used = async () => (await recipients.standing(to)).used;
  expect(await used()).toBe(1);
  return { store, recipients, log, used };
}

test('a place that was taken for a message after it was dropped is given back by whoever goes on to send it', async () => {
  const { log, used } = await placeOfDropped(4_001, 11);
  const [started] = golden<MessageEvent>('MessageSendStarted.v1');
  if (started?.type !== 'MessageSendStarted') throw new Error('There is no such file.');
  await log.change(4_001, 3, metadata, (state) => startSend(state, { ...started.data, message_id: 4_001 }));
  expect(await used()).toBe(0);
});

test('it is given back by the check of the message where whoever took it has died', async () => {
  const { store, recipients, log, used } = await placeOfDropped(4_002, 12);
  const { rows } = await store.pool.query<DueTimer>(
    'select id, kind, payload, due_at::text as "dueAt" from es.timers where id = $1',
    [messageChecks.checkId(4_002)],
  );
  // Nothing was paid, and nobody answers.
  const nobody = {} as AccountBalance & Conversations;
  const check = checkMessage({ log, balance: nobody, conversations: nobody, recipients });
  const fire = async () => {
    const [timer = expect.unreachable('Nobody looks again.')] = rows;
    return check(timer, { store, metadata });
  };
  const append = await fire();
  if (append) await store.append(append);
  expect(await used()).toBe(0);
  expect(await fire()).toBeUndefined();
});

test('a place that was given back, and taken again, stood at each moment as it stood then', async () => {
  const { store, recipients } = countingRecipients();
  const log = new MessageLog(new Aggregates(store));
  const to = { accountId: 3, senderId: 13, limit: 1, contactPhone: '+442079460313' };
  const takes = () => recipients.admit(to, checked(5_001), metadata);
  const givesBack = () => log.change(5_001, 3, metadata, () => dropMessage(checked(5_001)));
  const moments: string[] = [];
  for (const change of [takes, givesBack, takes]) {
    await change();
    const { rows } = await store.pool.query<{ at: string }>('select recorded_at::text as at from es.head');
    moments.push(...rows.map(({ at }) => at));
  }
  await givesBack();
  const used = await Promise.all(moments.map(async (at) => (await recipients.standing(to, at)).used));
  expect(used).toEqual([1, 0, 1]);
  expect((await recipients.standing(to)).used).toBe(0);
  expect(await recipients.refusal({ ...to, contactPhone: '+442079460314' })).toBeNull();
  expect(await recipients.hasPlace(5_001)).toBe(false);
});

test('what is known of places is the same when it is made anew', async () => {
  const [store = expect.unreachable('No copy was started.')] = copies;
  const verified = await verifyProjection({ pool: store.pool, projection: recipientsView });
  expect(verified).toMatchObject({ differing: 0 });
});
