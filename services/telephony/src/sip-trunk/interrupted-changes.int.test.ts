import { Aggregates, type AppendRequest } from '@parley/event-store';
import { keyring, newKey } from '@parley/process-kit';
import { startTimers } from '@parley/processing';
import type { PlatformTrunk } from '@parley/providers';
import { createTestStore, eventually, testMetadata } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createPasswordStore, preparePasswords } from './password-store.ts';
import { PlatformTrunks } from './platform-trunks.ts';
import { SipTrunks } from './sip-trunks.ts';
import { checkTrunk, trunkCheckKind } from './trunk-check.ts';

const trunk = { id: 7, accountId: 3, cause: { metadata: testMetadata, command: null } };
const ok = { kind: 'ok', value: undefined } as const;

/** What a voice platform has, by direction. */
function platform() {
  const there = new Map<string, PlatformTrunk>();
  const keep = (direction: string, kept: PlatformTrunk) => {
    there.set(direction, kept);
    return { kind: 'ok', value: direction } as const;
  };
  const trunks = new PlatformTrunks(
    {
      receiveCalls: async () => ok,
      createTrunk: async (direction, created) => keep(direction, created),
      async replaceTrunk(direction, _, replaced) {
        keep(direction, replaced);
        return ok;
      },
      findTrunks: async (direction) => ({ kind: 'ok', value: there.has(direction) ? [direction] : [] }),
      async deleteTrunk(direction) {
        there.delete(direction);
        return ok;
      },
    },
    undefined,
  );
  const credentials = () =>
    [...there.values()].map((has) => [has.credentials?.username, has.credentials?.password.reveal()]);
  return { trunks, credentials };
}

type Append = () => ReturnType<Awaited<ReturnType<typeof createTestStore>>['append']>;

/** A trunk of `acme` with the password `first`; `interrupt` says what becomes of the next append of a change. */
async function newTrunk() {
  const store = await createTestStore([]);
  await preparePasswords(store.pool);
  const { trunks: onPlatform, credentials } = platform();
  const aggregates = new Aggregates(store);
  const passwords = createPasswordStore(store.pool, keyring().parse(newKey()));
  const parts = { aggregates, passwords, platform: onPlatform, store };
  const timers = startTimers({ store, pool: store.pool, handlers: { [trunkCheckKind]: checkTrunk(parts) } });
  onTestFinished(async () => {
    await timers.close();
    await store.close();
  });
  const { signal: closing } = new AbortController();
  const trunks = new SipTrunks({ ...parts, clock: store, closing });
  const settings = { phone_number: '+4930901820', sip_address: 'sip.example.com', country_code: 'DE' };
  const input = { ...settings, sip_username: 'acme', sip_password: 'first' };
  await trunks.create({ ...trunk, input });
  const append = store.append.bind(store);
  return {
    credentials,
    change: (change: object) => trunks.update({ ...trunk, input: change, expectedVersion: null }),
    interrupt(outcome: (write: Append) => ReturnType<Append>) {
      store.append = (request: AppendRequest) => {
        if (request.events.length === 0) return append(request);
        store.append = append;
        return outcome(() => append(request));
      };
    },
    /** Nobody is at it any more. */
    untilChecked: () =>
      eventually(async () => expect((await store.pool.query('select from es.timers')).rowCount).toBe(0)),
  };
}

const change = { sip_username: 'other', sip_password: 'second' };

test('a new password that the log does not take is none: the platform has the earlier one again', async () => {
  const { change: update, credentials, interrupt, untilChecked } = await newTrunk();
  interrupt(() => Promise.reject(new Error('The log is away.')));
  await expect(update(change)).rejects.toThrow('away');
  await untilChecked();
  expect(credentials()).toEqual(Array(2).fill(['acme', 'first']));
  expect(await update({ sip_username: 'third' })).toMatchObject({ kind: 'done' });
  expect(credentials()).toEqual(Array(2).fill(['third', 'first']));
});

test('a new password that the log took counts, though nobody was told', async () => {
  const { change: update, credentials, interrupt, untilChecked } = await newTrunk();
  interrupt(async (write) => {
    await write();
    throw new Error('The answer is lost.');
  });
  await expect(update(change)).rejects.toThrow('lost');
  await untilChecked();
  expect(credentials()).toEqual(Array(2).fill(['other', 'second']));
  interrupt(() => Promise.reject(new Error('The log is away.')));
  await expect(update({ sip_password: 'third' })).rejects.toThrow('away');
  await untilChecked();
  expect(credentials()).toEqual(Array(2).fill(['other', 'second']));
});
