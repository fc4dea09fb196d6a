import { listEvents } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { startCopies } from '../copies.fixture.ts';

test('events that a service lost, as one that was restored has, are left out, and the page is answered', async () => {
  const accounts = await startCopies(1);
  onTestFinished(() => accounts.close());
  const { accountId } = await accounts.register();
  await accounts.pool.query(
    `insert into account_log.heads values (${accountId}, 1, '{"accounts": 1000000}')`,
  );
  await accounts.pool.query(
    `insert into account_log.entries values (${accountId}, 1, 1000000, 'accounts', 'BalanceToppedUp')`,
  );
  // A busy machine takes longer than is waited for, and asks on.
  await eventually(async () => {
    const reply = await accounts.send(listEvents, { after: 0, limit: 500 }, { accountId });
    const page = JSON.parse(reply.kind === 'ok' ? reply.body : '{}');
    expect(page).toMatchObject({ data: [], next_position: 1, has_more: false });
  });
});
