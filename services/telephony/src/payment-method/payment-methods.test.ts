import { randomUUID } from 'node:crypto';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import type { Payments } from '@parley/providers';
import { beforeEach, expect, test } from 'vitest';
import { PaymentMethods } from './payment-methods.ts';
import { settlingOf } from './settling.ts';

const accountId = 3;
const card = { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2030 };
const done = { kind: 'ok', value: null } as const;
const away = { kind: 'unavailable', message: 'away' } as const;

/** What the payment provider has of the one customer, and what it waits for before it answers. */
let attached: Set<string>;
let charged: string | null;
let held: Map<string, Promise<unknown>>;
let isAway: boolean;
let forgotten: Promise<unknown> | undefined;
let attaching: Promise<unknown> | undefined;
let nextCustomer: () => string;
/** What was asked for under each key. */
let keys: Map<string, string>;

const provider: Partial<Payments> = {
  createCustomer: async () => ({ kind: 'ok', value: { customerId: nextCustomer() } }),
  async attachMethod(_, token, key) {
    if ((keys.get(key) ?? token) !== token)
      return { kind: 'rejected', code: null, message: 'The key was used with other parameters.' };
    keys.set(key, token);
    if (token === 'pm_declined') return { kind: 'declined', message: 'no' };
    attached.add(token);
    await attaching;
    return { kind: 'ok', value: { methodId: token, ...card } };
  },
  async useMethod(_, methodId) {
    await held.get(methodId);
    if (isAway) return away;
    if (!attached.has(methodId)) return { kind: 'rejected', code: 'resource_missing', message: 'gone' };
    charged = methodId;
    return done;
  },
  async detachMethod(methodId) {
    await forgotten;
    if (isAway) return away;
    attached.delete(methodId);
    if (charged === methodId) charged = null;
    return done;
  },
};

let store: ReturnType<typeof createInMemoryEventStore>;
let methods: PaymentMethods;
beforeEach(() => {
  attached = new Set();
  charged = null;
  held = new Map();
  isAway = false;
  forgotten = undefined;
  attaching = undefined;
  keys = new Map();
  nextCustomer = () => 'cus_1';
  store = createInMemoryEventStore();
  methods = new PaymentMethods(new Aggregates(store), provider as Payments);
});

const cause = (commandId = randomUUID()) => ({
  metadata: {
    correlationId: 'request-1',
    causationId: 'command-1',
    commandId,
    actor: { kind: 'system', id: 'test' },
  } as const,
  command: { commandId, fingerprint: 'one' },
});
const set = (token: string, by = cause()) => methods.set(accountId, token, by, null);
const remove = (by = cause()) => methods.remove(accountId, by, null);
const onRecord = async () => (await methods.load(accountId)).state.card?.methodId;

test('a card that comes on file is charged from then on, and the one before is forgotten', async () => {
  await set('pm_1');
  await set('pm_2');
  expect(await onRecord()).toBe('pm_2');
  expect([charged, ...attached]).toEqual(['pm_2', 'pm_2']);
  expect(store.timers()).toEqual([]);
});

test('of two cards at once the one on record is charged, whichever the provider is told of last', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  held.set('pm_slow', promise);
  const slow = set('pm_slow');
  await expect.poll(onRecord).toBe('pm_slow');
  await set('pm_quick');
  resolve();
  await slow;
  expect(await onRecord()).toBe('pm_quick');
  expect([charged, ...attached]).toEqual(['pm_quick', 'pm_quick']);
});

test('a request that is repeated after another one leaves the other one’s card', async () => {
  const first = cause();
  await set('pm_1', first);
  await set('pm_2');
  await set('pm_1', first);
  expect([await onRecord(), charged]).toEqual(['pm_2', 'pm_2']);
});

test('what the provider could not be told, a timer tells it', async () => {
  await set('pm_1');
  isAway = true;
  expect((await set('pm_2')).kind).toBe('done');
  expect([await onRecord(), charged]).toEqual(['pm_2', 'pm_1']);
  const [timer] = store.timers();
  const settling = settlingOf(timer?.payload ?? {});
  expect(await methods.settle(settling)).toEqual(away);
  isAway = false;
  expect(await methods.settle(settling)).toBeNull();
  expect([charged, ...attached]).toEqual(['pm_2', 'pm_2']);
});

test('the card before is forgotten as well when the one that replaced it is put on file again', async () => {
  await set('pm_1');
  isAway = true;
  await set('pm_2');
  isAway = false;
  await set('pm_2');
  for (const { payload } of store.timers()) await methods.settle(settlingOf(payload));
  expect([await onRecord(), charged, ...attached]).toEqual(['pm_2', 'pm_2', 'pm_2']);
});

test('a card that was replaced does not come back while it is being forgotten, or later: the other one stays', async () => {
  await set('pm_1');
  const { promise, resolve } = Promise.withResolvers<void>();
  forgotten = promise;
  const replacing = set('pm_2');
  await expect.poll(onRecord).toBe('pm_2');
  const refused = {
    kind: 'rejected',
    rejection: { code: 'invalid', fields: { token: [expect.any(String)] } },
  };
  expect(await set('pm_1')).toMatchObject(refused);
  resolve();
  await replacing;
  expect(await set('pm_1')).toMatchObject(refused);
  expect([await onRecord(), charged]).toEqual(['pm_2', 'pm_2']);
});

test('after a declined card another one may be put on file by the same request', async () => {
  const by = cause();
  expect(await set('pm_declined', by)).toMatchObject({ rejection: { code: 'invalid' } });
  expect(await set('pm_1', by)).toMatchObject({ kind: 'done', replayed: false });
  expect([await onRecord(), charged]).toEqual(['pm_1', 'pm_1']);
});

test('a card that is taken off file is forgotten, once that is on record', async () => {
  await set('pm_1');
  const by = cause();
  expect(await remove(by)).toMatchObject({ kind: 'done', replayed: false });
  expect([await onRecord(), ...attached]).toEqual([undefined]);
  expect(store.timers()).toEqual([]);
  expect(await remove(by)).toMatchObject({ kind: 'done', replayed: true });
  expect(await remove()).toMatchObject({ kind: 'rejected', rejection: { code: 'not_found' } });
});

test('a card is taken off file while the provider is away, and forgotten when it is back', async () => {
  await set('pm_1');
  isAway = true;
  expect((await remove()).kind).toBe('done');
  expect([await onRecord(), ...attached]).toEqual([undefined, 'pm_1']);
  const [timer] = store.timers();
  isAway = false;
  expect(await methods.settle(settlingOf(timer?.payload ?? {}))).toBeNull();
  expect([...attached]).toEqual([]);
});

test('a card that another request put on file meanwhile is not forgotten with the one taken off', async () => {
  await set('pm_1');
  isAway = true;
  await remove();
  isAway = false;
  await set('pm_2');
  for (const { payload } of store.timers()) await methods.settle(settlingOf(payload));
  expect([await onRecord(), charged, ...attached]).toEqual(['pm_2', 'pm_2', 'pm_2']);
});

test('a card whose removal could not be put on record stays as it is', async () => {
  await set('pm_1');
  store.append = () => Promise.reject(new Error('the database is away'));
  await expect(remove()).rejects.toThrow('away');
  expect([await onRecord(), charged, ...attached]).toEqual(['pm_1', 'pm_1', 'pm_1']);
});

test('a card whose `If-Match` is out of date is not told to the provider', async () => {
  await set('pm_1');
  const { version } = await methods.load(accountId);
  expect(await methods.set(accountId, 'pm_2', cause(), version - 1)).toMatchObject({
    kind: 'rejected',
    rejection: { code: 'version_mismatch' },
  });
  expect([...keys.values()]).toEqual(['pm_1']);
});

test.each([
  ['another one is on file', 'pm_other'],
  ['the same one is on file by another request', 'pm_late'],
])(
  'a card that comes too late for its `If-Match` is forgotten, unless it is on file by then: %s',
  async (_, meanwhile) => {
    await set('pm_1');
    const { version } = await methods.load(accountId);
    const { promise, resolve } = Promise.withResolvers<void>();
    attaching = promise;
    const late = methods.set(accountId, 'pm_late', cause(), version);
    await expect.poll(() => [...attached]).toContain('pm_late');
    attaching = undefined;
    await set('pm_between');
    resolve();
    expect(await late).toMatchObject({ kind: 'rejected', rejection: { code: 'version_mismatch' } });
    await set(meanwhile);
    for (const { payload } of store.timers()) expect(await methods.settle(settlingOf(payload))).toBeNull();
    expect([await onRecord(), charged, ...attached]).toEqual([meanwhile, meanwhile, meanwhile]);
  },
);

test('a timer that names no payment method is not taken for one', () => {
  expect(() => settlingOf({ account_id: 3 })).toThrow(TypeError);
});

test('accounts with the same id in two installations that have one account at the provider are two customers', async () => {
  const customers = new Map<string, string>();
  const shared: Partial<Payments> = {
    ...provider,
    async createCustomer(_, key) {
      const customerId = customers.get(key) ?? `cus_${customers.size + 1}`;
      customers.set(key, customerId);
      return { kind: 'ok', value: { customerId } };
    },
  };
  const other = createInMemoryEventStore();
  const [here, alsoHere, there] = [store, store, other].map(
    (log) => new PaymentMethods(new Aggregates(log), shared as Payments),
  );
  await Promise.all([here, alsoHere].map((copy) => copy?.set(accountId, 'pm_1', cause(), null)));
  expect((await here?.load(accountId))?.state.customerId).toBe('cus_1');
  await there?.set(accountId, 'pm_2', cause(), null);
  expect((await there?.load(accountId))?.state.customerId).toBe('cus_2');
});

test('of two customers that two first cards made, the one on record has both', async () => {
  let customers = 0;
  nextCustomer = () => `cus_${++customers}`;
  await Promise.all([set('pm_1'), set('pm_2')]);
  const { customerId } = (await methods.load(accountId)).state;
  const named = [...keys.keys()].map((key) => key.endsWith(`-${customerId}`));
  expect([customers, named]).toEqual([2, [true, true]]);
});
