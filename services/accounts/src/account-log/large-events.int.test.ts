import { listEvents } from '@parley/contracts';
import { expect, onTestFinished, test } from 'vitest';
import { startCopies } from '../copies.fixture.ts';

test('a page of large events is shorter than asked for, and the next one goes on behind it', async () => {
  const accounts = await startCopies(1);
  onTestFinished(() => accounts.close());
  const { accountId } = await accounts.register();
  await accounts.pool.query(`
    insert into es.events
    select n, now(), ${accountId}, gen_random_uuid(), n, 1, 'balance-0', 'balance', 'BalanceToppedUp',
      jsonb_build_object('amount_micros', n, 'description', repeat('x', 100000), 'reference', null),
      '{"correlationId":"a","causationId":"b","commandId":null,"actor":{"kind":"system","id":"c"}}'
    from generate_series((select position + 1 from es.head), (select position + 120 from es.head)) n`);
  await accounts.pool.query('update es.head set position = position + 120');

  const readPage = async (after: number) => {
    const reply = await accounts.send(listEvents, { after, limit: 500 }, { accountId, timeoutMs: 60_000 });
    return listEvents.success.schema.parse(JSON.parse(reply.kind === 'ok' ? reply.body : ''));
  };
  const readAll = async () => {
    const pages: Awaited<ReturnType<typeof readPage>>['data'][] = [];
    for (let after = 0, isLast = false; !isLast; ) {
      const { data, next_position, has_more, missing_services } = await readPage(after);
      // A busy machine takes longer than is waited for, and asks on.
      if (data.length > 0) pages.push(data);
      [after, isLast] = [next_position, !has_more && !missing_services.includes('accounts')];
    }
    return pages;
  };
  // What was never read is put in order first, as far as that goes in two seconds.
  await readAll();
  const pages = await readAll();
  const positions = pages.flat().map(({ position }) => position);
  expect(positions).toEqual(Array.from({ length: 121 }, (_, index) => index + 1));
  // About a megabyte each.
  for (const { length } of pages.slice(0, -1))
    expect(length).toSatisfy((events) => events >= 10 && events <= 15);
}, 300_000);
