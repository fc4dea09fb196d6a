import { listEvents } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { startCopies } from '../copies.fixture.ts';

const length = 600_000;

test('a page by types looks through a part of a long log, and the next one goes on behind it', async () => {
  const accounts = await startCopies(1);
  onTestFinished(() => accounts.close());
  const { accountId } = await accounts.register();
  const ofAccount = [accountId];
  await accounts.pool.query(
    `insert into account_log.heads select $1, ${length}, jsonb_build_object('accounts', position) from es.head`,
    ofAccount,
  );
  await accounts.pool.query(
    `insert into account_log.entries
     select $1, n, e.position, 'accounts', case n when ${length} then e.type else 'FolderRenamed' end
     from generate_series(1, ${length}) n, es.events e where e.account_id = $1`,
    ofAccount,
  );
  const pages: object[] = [];
  for (let after = 0; after < length; ) {
    const wanted = { after, limit: 500, types: 'AccountRegistered' };
    // A busy machine takes longer than is waited for, and asks on.
    const page = await eventually(async () => {
      const reply = await accounts.send(listEvents, wanted, { accountId });
      if (reply.kind !== 'ok') throw new Error(reply.rejection.code);
      return listEvents.success.schema.parse(JSON.parse(reply.body));
    });
    pages.push(page);
    after = page.next_position;
  }
  expect(pages).toMatchObject([
    { data: [], next_position: 250_000, has_more: true },
    { data: [], next_position: 500_000, has_more: true },
    { data: [{ position: length, type: 'AccountRegistered' }], next_position: length, has_more: false },
  ]);
}, 120_000);
