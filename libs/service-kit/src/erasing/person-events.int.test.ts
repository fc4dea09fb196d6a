import { events as definitions, type LeadEvent } from '@parley/contracts';
import type { JsonObject } from '@parley/event-store';
import { eventually, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { isAboutSomebody } from '../sealing/personal-data.ts';
import { personalParts } from '../sealing/personal-values.ts';
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
  expect([asSecond.phone_number, asSecond.variables]).toEqual([somebody, {}]);
  expect(asSecond.secondary_contacts[1]).toEqual(sister);
});

interface Golden {
  readonly type: string;
  readonly data: JsonObject;
}

/** The newest golden event of each type that says whom it is about, and what of it is theirs. */
const aboutSomebody = definitions.flatMap(({ type, version, category, personal }) => {
  const [event] = golden<Golden>(`${type}.v${version}`);
  if (!event || !personal || !isAboutSomebody(personal)) return [];
  const [{ subject, values } = { subject: null, values: [] }] = personalParts(event.data, personal);
  return subject ? [{ event, category, person: subject, values }] : [];
});

test('of every event about somebody all that is theirs is shown, and nothing once they are erased', async () => {
  const { store, of, erase } = await start();
  expect(aboutSomebody.length).toBeGreaterThan(20);
  for (const { event, category } of aboutSomebody)
    await store.append(admitted('', { streamId: `${category}-${event.type}`, category, events: [event] }));
  for (const [index, { event, person, values }] of aboutSomebody.entries()) {
    const [shown] = (await of(person, { after: index, limit: 1 })).events;
    expect(shown.type).toBe(event.type);
    for (const { path, value, isWhole } of values)
      if (isWhole) expect(shown.data).toHaveProperty(path.map(String), value);
  }
  const people = [...new Set(aboutSomebody.map(({ person }) => person))];
  for (const person of people) await erase(person);
  for (const person of people) expect((await of(person)).events).toEqual([]);
});

test('what happened with somebody is known of them, though the event does not name them', async () => {
  const { store, of, erase } = await start();
  const [started, sent, read, received] = golden<Golden>(
    'MessageSendStarted.v1',
    'MessageSent.v1',
    'MessageRead.v1',
    'MessageReceived.v1',
  );
  const message = (streamId: string, contact_phone: string, events: readonly (Golden | undefined)[]) =>
    admitted('', {
      streamId,
      category: 'message',
      events: events.flatMap((event) =>
        event
          ? [
              {
                ...event,
                data: 'contact_phone' in event.data ? { ...event.data, contact_phone } : event.data,
              },
            ]
          : [],
      ),
    });
  await store.append(message('message-1', ada, [started]));
  await store.append(message('message-2', bob, [started, sent]));
  await store.append(message('message-1', ada, [sent, read]));
  await store.append(message('message-3', bob, [received, sent]));
  await store.append(message('message-3', ada, [received, sent]));
  const typesOf = async (phone: string, after = 0) =>
    (await of(phone, { after })).events.map(({ position, type }) => `${position} ${type}`);
  expect(await typesOf(ada)).toEqual([
    '1 MessageSendStarted',
    '4 MessageSent',
    '5 MessageRead',
    '8 MessageReceived',
    '9 MessageSent',
  ]);
  expect(await typesOf(ada, 4)).toEqual(['5 MessageRead', '8 MessageReceived', '9 MessageSent']);
  expect(await typesOf(bob)).toEqual([
    '2 MessageSendStarted',
    '3 MessageSent',
    '6 MessageReceived',
    '7 MessageSent',
  ]);
  expect((await of(ada, { after: 3, limit: 1 })).events[0].data).toEqual(sent?.data);
  await erase(ada);
  expect(await typesOf(ada)).toEqual([]);
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
