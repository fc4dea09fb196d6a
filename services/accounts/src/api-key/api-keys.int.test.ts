import { randomUUID } from 'node:crypto';
import {
  createApiKey,
  deleteApiKey,
  issueApiKey,
  listApiKeys,
  listDeletedApiKeys,
  registerAccount,
  resolveApiKeys,
} from '@parley/contracts';
import { getClockOffset, setClockOffset } from '@parley/event-store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Copies, startCopies } from '../copies.fixture.ts';
import { sha256Of } from './token.ts';

let accounts: Copies;
beforeAll(async () => {
  accounts = await startCopies(2);
});
afterAll(() => accounts.close());

async function create(accountId: number, body: object = { name: 'CI' }, context = {}) {
  const reply = await accounts.send(createApiKey, body, { accountId, ...context });
  if (reply.kind === 'rejected') throw new Error(JSON.stringify(reply.rejection));
  return { reply, key: createApiKey.success.schema.parse(JSON.parse(reply.body)).api_key };
}
const resolve = async (...tokens: (string | null)[]) =>
  (await accounts.ask(resolveApiKeys, { token_hashes: tokens.map((token) => sha256Of(token ?? '')) })).keys;
const list = async (accountId: number) => {
  const reply = await accounts.send(listApiKeys, {}, { accountId });
  return listApiKeys.success.schema.parse(JSON.parse(reply.kind === 'ok' ? reply.body : '')).data;
};

describe('an API key', () => {
  test('is told once, listed without its token, newest first, and resolved to its account', async () => {
    const { accountId } = await accounts.register();
    const { key: first } = await create(accountId);
    const { key: second } = await create(accountId, {
      name: 'Cron',
      expires_at: '2999-01-01T02:00:00+02:00',
    });
    expect(await list(accountId)).toEqual([
      {
        id: second.id,
        name: 'Cron',
        created_at: second.created_at,
        expires_at: '2999-01-01T00:00:00.000Z',
      },
      { id: first.id, name: 'CI', created_at: first.created_at, expires_at: null },
    ]);
    expect(await resolve(second.token, 'parley_unknown', first.token)).toEqual([
      { api_key_id: second.id, account_id: accountId, expires: true },
      null,
      { api_key_id: first.id, account_id: accountId, expires: false },
    ]);
  });

  test('ends at a moment that can be kept, or is not created', async () => {
    const { accountId } = await accounts.register();
    const body = { name: 'For ever', expires_at: '9999-12-31T23:59:59-14:00' };
    expect(await accounts.send(createApiKey, body, { accountId })).toMatchObject({
      kind: 'rejected',
      rejection: { code: 'invalid', fields: { expires_at: [expect.any(String)] } },
    });
  });

  test('is created once per command: the first answer has the token, every repetition the same without it', async () => {
    const { accountId } = await accounts.register();
    const context = { commandId: randomUUID(), fingerprint: 'of the body' };
    const { reply: first, key } = await create(accountId, { name: 'Once' }, context);
    const replays = await Promise.all(
      Array.from({ length: 20 }, () =>
        accounts.send(createApiKey, { name: 'Once' }, { accountId, ...context }),
      ),
    );
    const body = first.body.replace(JSON.stringify(key.token), 'null');
    for (const replay of replays) expect(replay).toMatchObject({ kind: 'ok', body, replayed: true });
    expect(await list(accountId)).toHaveLength(1);
  });

  test('is gone at once, on every copy, from the moment of the answer', async () => {
    const { accountId } = await accounts.register();
    for (let round = 0; round < 5; round += 1) {
      const { key } = await create(accountId);
      const hammer = Array.from({ length: 16 }, () => resolve(key.token));
      const deletion = await accounts.send(deleteApiKey, { id: String(key.id) }, { accountId });
      expect(deletion).toMatchObject({ body: '{"message":"API key deleted successfully"}' });
      const after = await Promise.all(Array.from({ length: 16 }, () => resolve(key.token)));
      expect(after.flat().filter((found) => found !== null)).toEqual([]);
      await Promise.all(hammer);
    }
    expect(await list(accountId)).toEqual([]);
  });

  test('is told as deleted from its deletion on, which is answered when all leases from before are over', async () => {
    const { accountId } = await accounts.register();
    const { key } = await create(accountId);
    const known = await accounts.ask(resolveApiKeys, { token_hashes: [sha256Of(key.token ?? '')] });
    const listDeleted = async () => {
      const askedAt = performance.now();
      const answer = await accounts.ask(listDeletedApiKeys, { after: known.position });
      return { ...answer, endsAt: askedAt + answer.lease_ms };
    };
    const context = { accountId, commandId: randomUUID(), fingerprint: 'a deletion' };
    const deletion = () => accounts.send(deleteApiKey, { id: String(key.id) }, context);
    // The second is answered as a repetition, before the first is.
    const answers = [deletion(), deletion()].map(async (answer) => {
      expect(await answer).toMatchObject({ kind: 'ok' });
      return performance.now();
    });
    let isAnswered = false;
    void Promise.race(answers).then(() => {
      isAnswered = true;
    });
    let lastEnd = 0;
    while (!isAnswered) {
      const { deleted, endsAt } = await listDeleted();
      if (!deleted?.includes(key.id)) lastEnd = endsAt;
    }
    for (const answeredAt of await Promise.all(answers)) expect(answeredAt).toBeGreaterThan(lastEnd);
    expect((await listDeleted()).deleted).toContain(key.id);
  });

  test('deleted long ago, or in another log, is not told: nothing that was known counts any more', async () => {
    const { position } = await accounts.ask(listDeletedApiKeys, { after: 0 });
    expect(await accounts.ask(listDeletedApiKeys, { after: position + 1_000_000 })).toMatchObject({
      deleted: null,
    });
  });

  test('of someone else looks as if it did not exist', async () => {
    const [owner, stranger] = await Promise.all([accounts.register(), accounts.register()]);
    const { key } = await create(owner.accountId);
    const remove = (id: number) =>
      accounts.send(deleteApiKey, { id: String(id) }, { accountId: stranger.accountId });
    const foreign = await remove(key.id);
    expect(foreign).toMatchObject({ rejection: { code: 'not_found' } });
    expect(foreign).toEqual(await remove(999_999_999));
    expect(await resolve(key.token)).toEqual([
      { api_key_id: key.id, account_id: owner.accountId, expires: false },
    ]);
    expect(await list(stranger.accountId)).toEqual([]);
  });

  test('stops at its expiry on the platform clock', async () => {
    const { accountId } = await accounts.register();
    const { rows } = await accounts.pool.query<{ soon: Date }>("select es.now() + interval '1 hour' as soon");
    const { key } = await create(accountId, { name: 'Short', expires_at: rows[0]?.soon.toISOString() });
    expect(await resolve(key.token)).not.toEqual([null]);
    const offset = await getClockOffset(accounts.pool);
    await setClockOffset(accounts.pool, offset + 3601);
    expect(await resolve(key.token)).toEqual([null]);
    expect(
      await accounts.send(createApiKey, { name: 'Late', expires_at: rows[0]?.soon }, { accountId }),
    ).toMatchObject({
      rejection: { code: 'invalid', fields: { expires_at: [expect.any(String)] } },
    });
  });

  test('issued for an account that does not exist is refused', async () => {
    expect(await accounts.send(issueApiKey, { account_id: 999_999_999, name: 'CI' })).toMatchObject({
      rejection: { code: 'not_found' },
    });
  });
});

test('one email registers one account, however many try at once and whatever its case', async () => {
  const email = `${randomUUID()}@Example.com`;
  const body = { name: 'Ada', billing_unit: 'minutes' };
  const replies = await Promise.all(
    Array.from({ length: 30 }, (_, i) =>
      accounts.send(registerAccount, { ...body, email: i % 2 ? email : email.toLowerCase() }),
    ),
  );
  expect(replies.filter(({ kind }) => kind === 'ok')).toHaveLength(1);
  for (const reply of replies)
    if (reply.kind === 'rejected')
      expect(reply.rejection).toMatchObject({ code: 'invalid', fields: { email: [expect.any(String)] } });
});

test('no token stands anywhere in the database', async () => {
  const { accountId } = await accounts.register();
  const { key } = await create(accountId);
  const issued = await accounts.ask(issueApiKey, { account_id: accountId, name: 'demo' });
  expect(issued.token).toMatch(/^parley_/);
  const { rows: tables } = await accounts.pool.query<{ name: string }>(
    `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  expect(tables.length).toBeGreaterThan(5);
  for (const { name } of tables) {
    const { rows } = await accounts.pool.query<{ dump: string | null }>(
      `select string_agg(t::text, E'\\n') as dump from ${name} t`,
    );
    expect(rows[0]?.dump ?? '').not.toContain('parley_');
    for (const token of [key.token, issued.token])
      expect(rows[0]?.dump ?? '').not.toContain(token?.slice('parley_'.length));
  }
});
