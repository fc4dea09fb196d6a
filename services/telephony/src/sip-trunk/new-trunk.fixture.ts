import { Aggregates, type AppendRequest } from '@parley/event-store';
import { createLogger, keyring, newKey } from '@parley/process-kit';
import { startTimers } from '@parley/processing';
import type { PlatformTrunk, ProviderResult, TrunkDirection, VoicePlatform } from '@parley/providers';
import type { Cause } from '@parley/service-kit';
import { createTestStore, eventually, testMetadata } from '@parley/testing';
import { expect, onTestFinished } from 'vitest';
import { InboundLines } from '../voice/inbound-lines.ts';
import { createPasswordStore, preparePasswords } from './password-store.ts';
import { PlatformTrunks } from './platform-trunks.ts';
import { sipTrunk, sipTrunkStream } from './sip-trunk.ts';
import { SipTrunks } from './sip-trunks.ts';
import { callsCheck, checkTrunk, lookAtCalls, trunkCallsKind, trunkCheckKind } from './trunk-check.ts';

const trunk = { id: 7, accountId: 3, cause: { metadata: testMetadata, command: null } };
const silent = createLogger({ service: 'test', level: 'silent' });
export const ok = { kind: 'ok', value: undefined } as const;
const conflict = { kind: 'rejected', code: 'conflict', message: 'Conflicting SIP Trunks' } as const;

/** A voice platform with its trunks by their ids; the outcome of the next change may be held back. */
function platform() {
  const there = new Map<string, PlatformTrunk & { readonly direction: TrunkDirection }>();
  let made = 0;
  let questions = 0;
  let held: (() => Promise<ProviderResult<undefined>>) | undefined;
  /** Whether another trunk has the number; one that writes it otherwise is noticed only when somebody calls. */
  const hasOther = (direction: TrunkDirection, id: string, { number }: PlatformTrunk) =>
    [...there].some(
      ([otherId, other]) =>
        direction === 'inbound' && id !== otherId && isInboundOf(number, other) && other.number === number,
    );
  const voicePlatform = {
    receiveCalls: async () => ok,
    async createTrunk(direction, created) {
      questions += 1;
      // It checks first and keeps the trunk later, without a lock against another one in between.
      const isTaken = hasOther(direction, '', created);
      const outcome = (await held?.()) ?? ok;
      if (isTaken) return conflict;
      if (outcome.kind === 'rejected') return outcome;
      made += 1;
      const id = `${direction} ${made}`;
      there.set(id, { ...created, direction });
      return outcome.kind === 'ok' ? { kind: 'ok', value: id } : outcome;
    },
    async replaceTrunk(direction, id, replaced) {
      questions += 1;
      const outcome = (await held?.()) ?? ok;
      if (there.get(id)?.direction !== direction)
        return { kind: 'rejected', code: 'not_found', message: 'object cannot be found' };
      if (hasOther(direction, id, replaced)) return conflict;
      if (outcome.kind === 'ok') there.set(id, { ...replaced, direction });
      return outcome;
    },
    async findTrunks(direction, { reference, number }) {
      questions += 1;
      const isWanted = (trunk: PlatformTrunk & { readonly direction: TrunkDirection }) =>
        trunk.direction === direction &&
        trunk.reference === reference &&
        digitsOf(trunk.number) === digitsOf(number);
      return { kind: 'ok', value: [...there].flatMap(([id, trunk]) => (isWanted(trunk) ? [id] : [])) };
    },
    async inboundOf(number) {
      const found = [...there.values()].filter((trunk) => isInboundOf(number, trunk));
      return { kind: 'ok', value: found.map(({ reference }) => reference) };
    },
    async deleteTrunk(id) {
      there.delete(id);
      return ok;
    },
  } satisfies Partial<VoicePlatform>;
  const credentials = () =>
    [...there.values()].map((has) => [has.credentials?.username, has.credentials?.password.reveal()]);
  /** Holds back the outcome of the next change until `answer` is called. */
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
  /** Deletes the trunks of these directions, as somebody might by hand. */
  const lose = (...lost: readonly TrunkDirection[]) => {
    for (const [id, { direction }] of there) if (lost.includes(direction)) there.delete(id);
  };
  const ids = () => [...there.keys()].sort();
  /** The references of the trunks by which calls to the number come in. */
  const inboundOf = (number: string) =>
    [...there.values()].filter((trunk) => isInboundOf(number, trunk)).map(({ reference }) => reference);
  const lines = new InboundLines(voicePlatform);
  const trunks = new PlatformTrunks(voicePlatform, undefined);
  return { trunks, lines, credentials, hold, ids, inboundOf, lose, questions: () => questions };
}

const isInboundOf = (number: string, trunk: PlatformTrunk & { readonly direction: TrunkDirection }) =>
  trunk.direction === 'inbound' && digitsOf(trunk.number) === digitsOf(number);
const digitsOf = (number: string) => number.replace('+', '');

type Append = () => ReturnType<Awaited<ReturnType<typeof createTestStore>>['append']>;

/** A trunk of `acme` with the password `first`; `interrupt` says what becomes of the next append of a change. */
export async function newTrunk() {
  const store = await createTestStore([]);
  await preparePasswords(store.pool);
  const { trunks: onPlatform, ...there } = platform();
  const aggregates = new Aggregates(store);
  const passwords = createPasswordStore(store.pool, keyring().parse(newKey()), silent);
  const parts = { aggregates, clock: store, passwords, platform: onPlatform, store };
  const handlers = { [trunkCheckKind]: checkTrunk(parts), [trunkCallsKind]: lookAtCalls(parts) };
  let timers = startTimers({ store, pool: store.pool, handlers });
  onTestFinished(async () => {
    await timers.close();
    await store.close();
  });
  const { signal: closing } = new AbortController();
  const trunks = new SipTrunks({ ...parts, closing });
  const settings = { phone_number: '+4930901820', sip_address: 'sip.example.com', country_code: 'DE' };
  const input = { ...settings, sip_username: 'acme', sip_password: 'first' };
  await trunks.create({ ...trunk, input });
  const update = (change: object, expectedVersion: number | null, command: Cause['command'] = null) =>
    trunks.update({ ...trunk, input: change, cause: { ...trunk.cause, command }, expectedVersion });
  const append = store.append.bind(store);
  return {
    ...there,
    /** The ids on record: inbound, outbound. */
    recorded: async () => {
      const { state } = await aggregates.load(sipTrunkStream(trunk.id), sipTrunk);
      return [state?.inbound_trunk_id, state?.outbound_trunk_id];
    },
    change: (change: object, command: Cause['command'] = null) => update(change, null, command),
    changeAt: (expectedVersion: number, change: object) => update(change, expectedVersion),
    create: (id: number, command: Cause['command'], phone_number = '+4930901822') =>
      trunks.create({
        ...trunk,
        id,
        input: { ...input, phone_number, sip_username: `acme-${id}` },
        cause: { ...trunk.cause, command },
      }),
    changeOf: (id: number, change: object) =>
      trunks.update({ ...trunk, id, input: change, expectedVersion: null }),
    inboundIdOf: async (id: number) =>
      (await aggregates.load(sipTrunkStream(id), sipTrunk)).state?.inbound_trunk_id,
    /** Makes all timers due. */
    lookAgain: () => store.pool.query('update es.timers set due_at = now()'),
    checkCalls: (id: number, number: string) =>
      store.append({
        ...{ streamId: 'number-1', category: 'number', accountId: 3, events: [], expectedVersion: 'any' },
        ...{ metadata: testMetadata, timers: [callsCheck({ id, accountId: 3, number }, 'correlation')] },
      }),
    /** As if the account had been imported, or the key of the sealed password were lost. */
    losePassword: (how: 'never came' | 'cannot be opened') =>
      store.pool.query(
        how === 'never came'
          ? 'delete from secrets.sip_passwords'
          : `update secrets.sip_passwords set sealed = 'broken'`,
      ),
    remove: () => trunks.remove({ ...trunk, expectedVersion: null }),
    /** Does something while no timers run. */
    async unchecked(work: () => Promise<void>) {
      await timers.close();
      await work();
      timers = startTimers({ store, pool: store.pool, handlers });
    },
    interrupt(outcome: (write: Append) => ReturnType<Append>) {
      store.append = (request: AppendRequest) => {
        if (request.events.length === 0) return append(request);
        store.append = append;
        return outcome(() => append(request));
      };
    },
    /** Waits until the only timer left is one for a later look. */
    untilWaiting: () =>
      eventually(async () => {
        const { rows } = await store.pool.query(
          `select due_at > now() + interval '1s' as later from es.timers`,
        );
        expect(rows).toEqual([{ later: true }]);
      }),
    /** Waits until no timer is left. */
    untilChecked: () =>
      eventually(async () => expect((await store.pool.query('select from es.timers')).rowCount).toBe(0)),
  };
}
