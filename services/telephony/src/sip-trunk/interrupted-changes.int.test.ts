import { randomUUID } from 'node:crypto';
import { Aggregates, type AppendRequest } from '@parley/event-store';
import { createLogger, keyring, newKey } from '@parley/process-kit';
import { startTimers } from '@parley/processing';
import type { PlatformTrunk, ProviderResult, TrunkDirection } from '@parley/providers';
import type { Cause } from '@parley/service-kit';
import { createTestStore, eventually, testMetadata } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createPasswordStore, preparePasswords } from './password-store.ts';
import { PlatformTrunks } from './platform-trunks.ts';
import { sipTrunk, sipTrunkStream } from './sip-trunk.ts';
import { SipTrunks } from './sip-trunks.ts';
import { checkTrunk, trunkCheckKind } from './trunk-check.ts';

const trunk = { id: 7, accountId: 3, cause: { metadata: testMetadata, command: null } };
const silent = createLogger({ service: 'test', level: 'silent' });
const ok = { kind: 'ok', value: undefined } as const;

/** What a voice platform has, by its ids; the next change of it may be held. */
function platform() {
  const there = new Map<string, PlatformTrunk & { readonly direction: TrunkDirection }>();
  let made = 0;
  let held: (() => Promise<ProviderResult<undefined>>) | undefined;
  const trunks = new PlatformTrunks(
    {
      receiveCalls: async () => ok,
      async createTrunk(direction, created) {
        const outcome = (await held?.()) ?? ok;
        made += 1;
        const id = `${direction} ${made}`;
        there.set(id, { ...created, direction });
        return outcome.kind === 'ok' ? { kind: 'ok', value: id } : outcome;
      },
      async replaceTrunk(direction, id, replaced) {
        const outcome = (await held?.()) ?? ok;
        if (there.get(id)?.direction !== direction)
          return { kind: 'rejected', code: 'not_found', message: 'object cannot be found' };
        if (outcome.kind === 'ok') there.set(id, { ...replaced, direction });
        return outcome;
      },
      findTrunks: async (direction, { reference, number }) => ({
        kind: 'ok',
        value: [...there].flatMap(([id, trunk]) =>
          trunk.direction === direction && trunk.reference === reference && trunk.number === number
            ? [id]
            : [],
        ),
      }),
      async deleteTrunk(id) {
        there.delete(id);
        return ok;
      },
    },
    undefined,
  );
  const credentials = () =>
    [...there.values()].map((has) => [has.credentials?.username, has.credentials?.password.reveal()]);
  /** The next change has no outcome before it is given one. */
  const hold = () => {
    const asked = Promise.withResolvers<void>();
    const outcome = Promise.withResolvers<ProviderResult<undefined>>();
    held = () => {
      held = undefined;
      asked.resolve();
      return outcome.promise;
    };
    return { asked: asked.promise, answer: outcome.resolve };
  };
  /** Somebody deletes there by hand what is of these directions. */
  const lose = (...lost: readonly TrunkDirection[]) => {
    for (const [id, { direction }] of there) if (lost.includes(direction)) there.delete(id);
  };
  const ids = () => [...there.keys()].sort();
  return { trunks, credentials, hold, ids, lose };
}

type Append = () => ReturnType<Awaited<ReturnType<typeof createTestStore>>['append']>;

/** A trunk of `acme` with the password `first`; `interrupt` says what becomes of the next append of a change. */
async function newTrunk() {
  const store = await createTestStore([]);
  await preparePasswords(store.pool);
  const { trunks: onPlatform, ...there } = platform();
  const aggregates = new Aggregates(store);
  const passwords = createPasswordStore(store.pool, keyring().parse(newKey()), silent);
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
  const update = (change: object, expectedVersion: number | null, command: Cause['command'] = null) =>
    trunks.update({ ...trunk, input: change, cause: { ...trunk.cause, command }, expectedVersion });
  const append = store.append.bind(store);
  return {
    ...there,
    /** The ids that are on record. */
    recorded: async () => {
      const { state } = await aggregates.load(sipTrunkStream(trunk.id), sipTrunk);
      return [state?.inbound_trunk_id, state?.outbound_trunk_id];
    },
    change: (change: object, command: Cause['command'] = null) => update(change, null, command),
    changeAt: (expectedVersion: number, change: object) => update(change, expectedVersion),
    create: (id: number, command: Cause['command']) =>
      trunks.create({
        ...trunk,
        id,
        input: { ...input, phone_number: '+4930901822' },
        cause: { ...trunk.cause, command },
      }),
    /** As where its account was imported, or where the key is lost that it is sealed with. */
    losePassword: (how: 'never came' | 'cannot be opened') =>
      store.pool.query(
        how === 'never came'
          ? 'delete from secrets.sip_passwords'
          : `update secrets.sip_passwords set sealed = 'broken'`,
      ),
    remove: () => trunks.remove({ ...trunk, expectedVersion: null }),
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

test('a change that is asked for again while it is made is not made after another one has been', async () => {
  const { change: update, credentials, hold, untilChecked } = await newTrunk();
  const command = { commandId: randomUUID(), fingerprint: null };
  const { asked, answer } = hold();
  const first = update({ sip_username: 'early' }, command);
  await asked;
  const again = update({ sip_username: 'early' }, command);
  const later = update({ sip_username: 'late' });
  expect(await again).toMatchObject({ rejection: { code: 'idempotency_in_progress' } });
  answer({ kind: 'unavailable', message: 'away' });
  expect(await first).toMatchObject({ rejection: { code: 'unavailable' } });
  expect(await later).toMatchObject({ kind: 'done' });
  await untilChecked();
  expect(credentials()).toEqual(Array(2).fill(['late', 'first']));
  expect(await update({ sip_username: 'early' }, command)).toMatchObject({ kind: 'done' });
});

test('a trunk whose making stands still is made for whoever asks again, and once', async () => {
  const { create, hold, untilChecked } = await newTrunk();
  const command = { commandId: randomUUID(), fingerprint: null };
  const { asked, answer } = hold();
  const first = create(8, command);
  await asked;
  expect(await create(9, command)).toMatchObject({ kind: 'done', replayed: false });
  answer(ok);
  expect(await first).toMatchObject({ kind: 'done', replayed: true });
  await untilChecked();
});

test('a change that waited too long for its turn may be asked for again', async () => {
  const { change: update, hold, untilChecked } = await newTrunk();
  const command = { commandId: randomUUID(), fingerprint: null };
  const { asked, answer } = hold();
  const first = update({ sip_username: 'early' });
  await asked;
  expect(await update({ sip_username: 'late' }, command)).toMatchObject({ rejection: { code: 'contended' } });
  answer(ok);
  expect(await first).toMatchObject({ kind: 'done' });
  expect(await update({ sip_username: 'late' }, command)).toMatchObject({ kind: 'done' });
  await untilChecked();
}, 20_000);

test('a trunk that is deleted while its number is changed is gone at the platform under the new one', async () => {
  const { change: update, credentials, interrupt, remove, untilChecked } = await newTrunk();
  const taken = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  interrupt(async (write) => {
    taken.resolve();
    await written.promise;
    return write();
  });
  const changing = update({ phone_number: '+4930901821' });
  await taken.promise;
  const removing = remove();
  written.resolve();
  expect(await changing).toMatchObject({ kind: 'done' });
  expect(await removing).toMatchObject({ kind: 'done' });
  await untilChecked();
  expect(credentials()).toEqual([]);
});

test.each(['never came', 'cannot be opened'] as const)(
  'a trunk whose password %s stays at the platform, and is changed once it is entered again',
  async (how) => {
    const { change: update, changeAt, credentials, losePassword, untilChecked } = await newTrunk();
    await losePassword(how);
    expect(await update({ nickname: 'Front desk' })).toMatchObject({
      rejection: { code: 'invalid', fields: { sip_password: [expect.stringContaining('again')] } },
    });
    expect(await changeAt(99, change)).toMatchObject({ rejection: { code: 'version_mismatch' } });
    await untilChecked();
    expect(credentials()).toEqual(Array(2).fill(['acme', 'first']));
    expect(await update({ nickname: 'Front desk', sip_password: 'second' })).toMatchObject({ kind: 'done' });
    expect(await update({ nickname: 'Desk' })).toMatchObject({ kind: 'done' });
    await untilChecked();
    expect(credentials()).toEqual(Array(2).fill(['acme', 'second']));
  },
);

test.each([[['inbound', 'outbound']], [['inbound']], [['outbound']]] as const)(
  'a trunk that somebody deleted at the platform (%j) is made there anew by its next change, under ids on record',
  async (directions) => {
    const { change: update, credentials, ids, lose, recorded, untilChecked } = await newTrunk();
    lose(...directions);
    expect(await update({ nickname: 'Front desk', phone_number: '+4930901821' })).toMatchObject({
      kind: 'done',
    });
    await untilChecked();
    expect(await recorded()).toEqual(ids());
    const before = ids();
    lose('inbound', 'outbound');
    expect(await update({})).toMatchObject({ kind: 'done' });
    expect(await recorded()).toEqual(ids());
    expect(ids()).not.toEqual(before);
    expect(await update({})).toMatchObject({ kind: 'done' });
    expect(credentials()).toEqual(Array(2).fill(['acme', 'first']));
  },
);

test('a trunk of an account that came from an installation at another platform is made with its password', async () => {
  const { change: update, credentials, ids, lose, losePassword, recorded, untilChecked } = await newTrunk();
  await losePassword('never came');
  lose('inbound', 'outbound');
  expect(await update({ nickname: 'Desk' })).toMatchObject({ rejection: { code: 'invalid' } });
  await untilChecked();
  expect(ids()).toEqual([]);
  expect(await update({ sip_password: 'second' })).toMatchObject({ kind: 'done' });
  expect(await recorded()).toEqual(ids());
  expect(credentials()).toEqual(Array(2).fill(['acme', 'second']));
});

test.each(['known here', 'not known here'] as const)(
  'a trunk that was made anew and is not on record leaves nothing at the platform: its password is %s',
  async (password) => {
    const {
      change: update,
      hold,
      ids,
      lose,
      losePassword,
      interrupt,
      recorded,
      untilChecked,
    } = await newTrunk();
    if (password === 'not known here') await losePassword('never came');
    lose('inbound', 'outbound');
    const moved = { phone_number: '+4930901821', sip_password: 'second' };
    interrupt(() => Promise.reject(new Error('The log is away.')));
    await expect(update(moved)).rejects.toThrow('away');
    await untilChecked();
    expect(ids()).toEqual([]);
    const { asked, answer } = hold();
    const changing = update(moved);
    await asked;
    answer(ok);
    const made = hold();
    await made.asked;
    made.answer({ kind: 'unknown', message: 'no answer' });
    expect(await changing).toMatchObject({ rejection: { code: 'unavailable' } });
    await untilChecked();
    expect(ids()).toEqual([]);
    expect(await update(moved)).toMatchObject({ kind: 'done' });
    expect(await recorded()).toEqual(ids());
  },
);

test('a trunk that is deleted while it is made anew is gone at the platform', async () => {
  const { change: update, hold, ids, lose, remove, untilChecked } = await newTrunk();
  lose('inbound', 'outbound');
  const { asked, answer } = hold();
  const changing = update({ nickname: 'Desk' });
  await asked;
  expect(await remove()).toMatchObject({ kind: 'done' });
  answer(ok);
  expect(await changing).toMatchObject({ rejection: { code: 'not_found' } });
  await untilChecked();
  expect(ids()).toEqual([]);
});
