import { randomUUID } from 'node:crypto';
import { keyring, newKey } from '@parley/process-kit';
import { mentionPatterns } from '@parley/service-kit';
import { createTestDatabase, eventually, startOwnPostgres } from '@parley/testing';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createPostgresPayloads } from './postgres-payloads.ts';

async function freshPayloads() {
  const { url, drop } = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: url });
  onTestFinished(async () => {
    await pool.end();
    await drop();
  });
  return createPostgresPayloads(pool, keyring().parse(newKey()));
}

test('what was kept outlives a crash of Postgres at any moment: the step that names it may be written after it', async () => {
  // Nothing is flushed but what is asked to be.
  const postgres = await startOwnPostgres({ wal_writer_delay: '10s' });
  onTestFinished(() => postgres.stop());
  const pool = new pg.Pool({ connectionString: postgres.url });
  pool.on('error', () => undefined);
  onTestFinished(() => pool.end());
  const payloads = createPostgresPayloads(pool, keyring().parse(newKey()));
  const owner = { accountId: 1, runId: randomUUID() };
  const ref = randomUUID();
  await payloads.keep(owner, [{ ref, text: '{"name":"Ada"}' }]);
  await postgres.crash(0);
  expect(await eventually(() => payloads.read(owner, [ref]))).toEqual(['{"name":"Ada"}']);
});

test('what no event came to name is discarded, and nothing else of the run', async () => {
  const payloads = await freshPayloads();
  const owner = { accountId: 1, runId: randomUUID() };
  const refs = [randomUUID(), randomUUID()] as const;
  await payloads.keep(
    owner,
    refs.map((ref) => ({ ref, text: '{"name":"Ada"}' })),
  );
  await payloads.discard([refs[0]]);
  await payloads.discard([]);
  expect(await payloads.read(owner, refs)).toEqual([undefined, '{"name":"Ada"}']);
});

test('a run about a number that only begins with that of the person is not about them', async () => {
  const payloads = await freshPayloads();
  const patterns = mentionPatterns({ phoneNumbers: ['+4930901820'] });
  const isAbout = async (text: string) => {
    const owner = { accountId: 1, runId: randomUUID() };
    await payloads.keep(owner, [{ ref: randomUUID(), text }]);
    return payloads.match(owner, patterns);
  };
  expect(await isAbout('{"phone":"+4930901820"}')).toBe(true);
  expect(await isAbout('{"phone":"+49309018201","order":14930901820}')).toBe(false);
});
