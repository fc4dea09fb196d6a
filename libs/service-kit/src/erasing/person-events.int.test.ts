import type { LeadEvent } from '@parley/contracts';
import { eventually, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { ada, admitted, bob, destroy, newDatabase, openCopy } from '../sealing/sealed-copy.fixture.ts';
import { readPersonEvents } from './person-events.ts';

const errorsOf = (...phones: readonly string[]) =>
  phones.map((phone, row) => ({
    row,
    field: 'phone_number',
    message: `${phone} is in the campaign already.`,
  }));
const imported = (...phones: readonly string[]) =>
  admitted('', {
    category: 'lead-import',
    events: [
      {
        type: 'LeadRowsImported',
        data: { chunk: 0, last_row: 9, created: 0, skipped: 0, failed: 2, errors: errorsOf(...phones) },
      },
    ],
  });

async function start() {
  const { store, keys } = await openCopy(await newDatabase());
  const parts = { pool: store.pool, keys, upcasters: [] };
  return {
    store,
    erase: (phone: string) => destroy({ store, keys }, phone),
    async of(phone: string, { accountId = 1, after = 0, limit = 9 } = {}) {
      const person = { accountId, phoneNumbers: [phone] };
      const page = await readPersonEvents(parts, { person, after, upTo: await store.head(), limit });
      return { reached: page.reached, events: page.events.map((text) => JSON.parse(text)) };
    },
  };
}

test('what is known of a person is what was recorded about them, of that account alone', async () => {
  const { store, of } = await start();
  await store.append(admitted(bob));
  await store.append(admitted(ada));
  await store.append(admitted(ada, { accountId: 2 }));
  const { events, reached } = await of(ada);
  expect(events).toMatchObject([{ position: 2, account_id: 1, data: { contact_phone: ada } }]);
  expect(reached).toBe(3);
});

test('in an event about several people the others are as if they had been erased', async () => {
  const { store, of } = await start();
  await store.append(imported(ada, bob));
  const [event] = (await of(ada)).events;
  expect(event.data.errors[0].message).toContain(ada);
  expect(JSON.stringify(event)).not.toContain(bob.slice(1));
});

test('of a lead with several people each is shown what is theirs', async () => {
  const { store, of } = await start();
  const [created] = golden<LeadEvent>('LeadCreated.v1');
  if (created?.type !== 'LeadCreated') throw new Error('There is no such event.');
  const [sister] = created.data.secondary_contacts.slice(1);
  await store.append(admitted('', { category: 'lead', events: [created] }));
  const somebody = expect.stringMatching(/^erased:/);
  const [first, second] = [created.data.phone_number, sister?.phone_number ?? ''];
  const [asFirst, asSecond] = [(await of(first)).events[0].data, (await of(second)).events[0].data];
  expect(asFirst).toMatchObject({ phone_number: first, variables: created.data.variables });
  expect(asFirst.secondary_contacts[1]).toEqual({ id: 14, phone_number: somebody, variables: {} });
  expect(asSecond).toMatchObject({ phone_number: somebody, variables: {} });
  expect(asSecond.secondary_contacts[1]).toEqual(sister);
});

test('pages follow each other without a gap, and nothing is left of somebody who was erased', async () => {
  const { store, of, erase } = await start();
  for (const phone of [ada, bob, ada, ada]) await store.append(admitted(phone));
  const first = await of(ada, { limit: 2 });
  expect([first.reached, first.events.map(({ position }) => position)]).toEqual([3, [1, 3]]);
  const second = await of(ada, { after: first.reached, limit: 2 });
  expect([second.reached, second.events.map(({ position }) => position)]).toEqual([4, [4]]);
  await erase(ada);
  await eventually(async () => expect(JSON.stringify(await of(ada))).not.toContain(ada.slice(1)));
  expect((await of(bob)).events).toMatchObject([{ data: { contact_phone: bob } }]);
});
