import { createCampaign, createFolder, createLead, readBelongings, updateLead } from '@parley/contracts';
import { type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';

let copies: ServiceCopies;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 1);
});
afterAll(() => copies?.close());

test('numbers that leads have leave with their account, also those that they got later', async () => {
  const accountId = 41;
  const ask = async (...[operation, payload]: Parameters<ServiceCopies['send']>) => {
    const reply = await copies.send(operation, payload, { accountId });
    return JSON.parse(reply.kind === 'ok' ? reply.body : '{}').data;
  };
  const { id: campaign_id } = await ask(createCampaign, { name: 'Spring', channel: 'sms', body: 'Hello' });
  const { id } = await ask(createLead, { campaign_id, phone_number: '+14155552671' });
  await ask(updateLead, { id, phone_number: '+14155552672' });
  await ask(updateLead, { id, phone_number: '+14155552673' });
  const all = { account_id: accountId, after: null, limit: 10 };
  const { names, head } = await copies.ask(readBelongings, all);
  const other = await ask(createLead, { campaign_id, phone_number: '+14155552674' });
  const namesSince = async (changed_since: number | undefined) =>
    (await copies.ask(readBelongings, { ...all, changed_since })).names;
  const added = [expect.objectContaining({ key: '+14155552674', owner: `lead-${other.id}` })];
  expect(await namesSince(head)).toEqual(added);
  await ask(updateLead, { id, variables: { name: 'Ada' } });
  expect(await namesSince(head)).toEqual(expect.arrayContaining([...names, ...added]));
  const held = (key: string, owner: string) => ({ scope: `lead-number:${campaign_id}`, key, owner });
  expect(names).toHaveLength(3);
  expect(names).toEqual(
    expect.arrayContaining([
      held('+14155552671', `lead-${id}`),
      held('+14155552672', `lead-${id}/2`),
      held('+14155552673', `lead-${id}/3`),
    ]),
  );
});

test('a page of names looks at so many of all accounts, and the pages together have all of one', async () => {
  const accountId = 42;
  await copies.pool.query(
    `insert into es.claims select 'a-scope', 'name ' || i, 'stream-of-another-' || i from generate_series(1, 12000) i`,
  );
  await copies.send(createFolder, { name: 'Leads' }, { accountId });
  const pages = [await copies.ask(readBelongings, { account_id: accountId, after: null, limit: 10 })];
  for (let after = pages[0]?.after; after; after = pages.at(-1)?.after)
    pages.push(await copies.ask(readBelongings, { account_id: accountId, after, limit: 10 }));
  expect(pages.map(({ names }) => names.length)).toEqual([0, 0, 1]);
});
