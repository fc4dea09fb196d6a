import { createPostgresEventStore, type PostgresEventStore } from '@parley/event-store';
import { createInlineProjector, prepareProjections } from '@parley/processing';
import { createTestDatabase } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recipientsView } from '../views/recipients-view.ts';
import { Recipients } from './recipients.ts';

let copies: PostgresEventStore[] = [];
let drop: () => Promise<void>;

beforeAll(async () => {
  const database = await createTestDatabase();
  drop = database.drop;
  const inlineProjector = createInlineProjector([recipientsView]);
  copies = [
    await createPostgresEventStore({ connectionString: database.url, inlineProjector }),
    await createPostgresEventStore({ connectionString: database.url, inlineProjector }),
  ];
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

test('of more who want a place at the same moment than there are, through two copies, exactly the limit gets one', async () => {
  const recipients = copies.map((store) => new Recipients(store, store.pool));
  const [first] = recipients;
  const limit = 80;
  const wanted = Array.from({ length: 100 }, (_, n) => n);
  const refusals = await Promise.all(
    wanted.map((n) => {
      const recipient = { accountId: 3, senderId: 7, limit, contactPhone: `+4420794601${n}` };
      return recipients[n % recipients.length]?.admit(recipient, n + 1, metadata);
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
