import { randomUUID } from 'node:crypto';
import type { BalanceEvent } from '@parley/contracts';
import {
  Aggregates,
  createInMemoryEventStore,
  type EventStore,
  type ExecuteResult,
} from '@parley/event-store';
import type { MessageContext } from '@parley/message-bus';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { availableMicros, balance, balanceStream } from './balance.ts';
import { book } from './booking.ts';
import { capture } from './capture.ts';
import { Ledger } from './ledger.ts';
import { movementOf } from './ledger-line.ts';
import { refund } from './refund.ts';
import { release } from './release.ts';
import { reserve } from './reserve.ts';
import { setTotal } from './set-total.ts';

const accountId = 7;
const holdIds = [1, 2, 3, 4].map((n) => `b1a7b7c0-0000-4000-8000-00000000000${n}`);
const message = (): MessageContext => ({
  accountId: null,
  actor: { kind: 'system', id: 'test' },
  commandId: randomUUID(),
  fingerprint: null,
  correlationId: randomUUID(),
  expectedVersion: null,
  baseUrl: null,
  timeoutMs: 1000,
});

type Wish =
  | { readonly kind: 'top-up' | 'debit' | 'set-total'; readonly amount: number }
  | { readonly kind: 'reserve' | 'capture'; readonly holdId: string; readonly amount: number }
  | { readonly kind: 'release' | 'refund'; readonly holdId: string };

const amount = fc.integer({ min: 1, max: 20 });
const holdId = fc.constantFrom(...holdIds);
const wish: fc.Arbitrary<Wish> = fc.oneof(
  fc.record({ kind: fc.constantFrom('top-up' as const, 'debit' as const), amount }),
  fc.record({ kind: fc.constant('set-total' as const), amount: fc.integer({ min: 0, max: 60 }) }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('reserve' as const), holdId, amount }) },
  fc.record({ kind: fc.constant('capture' as const), holdId, amount: fc.integer({ min: 0, max: 20 }) }),
  fc.record({ kind: fc.constantFrom('release' as const, 'refund' as const), holdId }),
);

/** So many that they go together. */
const crowd = fc.array(
  fc.oneof(wish, {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('reserve' as const), holdId: fc.uuid(), amount }),
  }),
  { maxLength: 40 },
);
const luck = fc.infiniteStream(fc.nat({ max: 9 }));

function carryOut(ledger: Ledger, wish: Wish): Promise<ExecuteResult> {
  const about = { description: 'Test', reference: null };
  switch (wish.kind) {
    case 'top-up':
    case 'debit': {
      const type = wish.kind === 'debit' ? 'BalanceDebited' : 'BalanceToppedUp';
      return ledger.move(message(), accountId, (state) =>
        book(state, type, { amountMicros: wish.amount, ...about }),
      );
    }
    case 'set-total':
      return ledger.move(message(), accountId, (state) =>
        setTotal(state, { totalMicros: wish.amount, description: 'Test' }),
      );
    case 'reserve':
      return ledger.moveHold(
        message(),
        { accountId, holdId: wish.holdId, action: wish.kind, amountMicros: wish.amount },
        (state) => reserve(state, { holdId: wish.holdId, amountMicros: wish.amount, ...about }),
      );
    case 'capture':
      return ledger.moveHold(
        message(),
        { accountId, holdId: wish.holdId, action: wish.kind, amountMicros: wish.amount },
        (state, { wasReserved }) =>
          capture(state, { holdId: wish.holdId, amountMicros: wish.amount }, wasReserved),
      );
    case 'release':
      return ledger.moveHold(
        message(),
        { accountId, holdId: wish.holdId, action: wish.kind },
        (state, { wasReserved }) => release(state, wish.holdId, wasReserved),
      );
    case 'refund':
      return ledger.moveHold(
        message(),
        { accountId, holdId: wish.holdId, action: wish.kind },
        (state, past) => refund(state, { holdId: wish.holdId, ...about }, past),
      );
    default:
      return wish satisfies never;
  }
}

/** What the promises say, without events: a total, holds with their fate, and the first answer to each hold command. */
class Model {
  total = 0;
  debited = 0;
  readonly #holds = new Map<
    string,
    { amount: number; captured: number; fate: 'open' | 'capture' | 'release' | 'refund' }
  >();
  readonly #barred = new Set<string>();
  readonly #answers = new Map<string, { body: string; amount: number | undefined }>();

  get reserved(): number {
    return [...this.#holds.values()].reduce(
      (sum, { amount, fate }) => sum + (fate === 'open' ? amount : 0),
      0,
    );
  }

  /** A rejection's code, or the body of the answer. */
  expect(wish: Wish): { code: string } | { body: string } {
    if ('holdId' in wish) return this.#expectOfHold(wish);
    if (wish.kind === 'set-total' && wish.amount < this.reserved) return { code: 'invalid' };
    if (wish.kind === 'debit') this.debited += wish.amount;
    const before = wish.kind === 'set-total' ? 0 : this.total;
    this.total = before + (wish.kind === 'debit' ? -wish.amount : wish.amount);
    return this.#answer();
  }

  #expectOfHold(wish: Extract<Wish, { holdId: string }>): { code: string } | { body: string } {
    const key = `${wish.kind} ${wish.holdId}`;
    const asked = 'amount' in wish ? wish.amount : undefined;
    const earlier = this.#answers.get(key);
    if (earlier) return earlier.amount === asked ? { body: earlier.body } : { code: 'idempotency_key_reuse' };
    const hold = this.#holds.get(wish.holdId);
    if (wish.kind === 'reserve') {
      if (this.#barred.has(wish.holdId)) return { code: 'hold_settled' };
      if (wish.amount > this.total - this.reserved) return { code: 'insufficient_balance' };
      this.#holds.set(wish.holdId, { amount: wish.amount, captured: 0, fate: 'open' });
    } else {
      if (!hold && wish.kind === 'capture') return { code: 'not_found' };
      if (!hold) {
        this.#barred.add(wish.holdId);
        const answer = this.#answer(0);
        this.#answers.set(key, { ...answer, amount: undefined });
        return answer;
      }
      if (wish.kind === 'refund' && hold.fate === 'capture') {
        this.total += hold.captured;
        hold.amount = hold.captured;
      } else if (hold.fate !== 'open') return { code: 'hold_settled' };
      if (wish.kind === 'capture' && wish.amount > hold.amount) return { code: 'invalid' };
      hold.fate = wish.kind;
      if (wish.kind === 'capture') {
        hold.captured = wish.amount;
        this.total -= wish.amount;
      }
    }
    const answer = this.#answer(asked ?? hold?.amount);
    this.#answers.set(key, { ...answer, amount: asked });
    return answer;
  }

  #answer(amount?: number): { body: string } {
    const moved = { available_micros: this.total - this.reserved, reserved_micros: this.reserved };
    return { body: JSON.stringify(amount === undefined ? moved : { ...moved, amount_micros: amount }) };
  }
}

const outcomeOf = (result: ExecuteResult) =>
  result.kind === 'done' ? { body: result.body } : { code: result.rejection.code };

async function readMovements(store: EventStore) {
  const recorded = await store.readStream(balanceStream(accountId));
  // The stream holds balance events alone.
  return recorded.map((event) => movementOf(event as unknown as BalanceEvent));
}

describe('the ledger', () => {
  test('keeps its promises under any order of top-ups, debits, corrections, reservations, captures, releases, refunds and repeats', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(wish, { minLength: 1, maxLength: 30 }), async (wishes) => {
        const store = createInMemoryEventStore();
        const ledger = new Ledger(new Aggregates(store), store);
        const model = new Model();
        for (const wish of wishes) {
          expect(outcomeOf(await carryOut(ledger, wish))).toEqual(model.expect(wish));
          expect(model.reserved).toBeLessThanOrEqual(model.total + model.debited);
        }
        const movements = await readMovements(store);
        expect(movements.reduce((sum, { line }) => sum + (line?.amountMicros ?? 0), 0)).toBe(model.total);
        expect(movements.reduce((sum, { reservedMicros }) => sum + reservedMicros, 0)).toBe(model.reserved);
        const { state } = await new Aggregates(store).load(balanceStream(accountId), balance);
        expect(state).toMatchObject({ totalMicros: model.total, reservedMicros: model.reserved });
      }),
      { numRuns: 1000 },
    );
  });

  test('spends no more than there is, however many reserve at once', async () => {
    const store = createInMemoryEventStore();
    const ledger = new Ledger(new Aggregates(store), store);
    await carryOut(ledger, { kind: 'top-up', amount: 10 });
    const results = await Promise.all(
      Array.from({ length: 50 }, () =>
        carryOut(ledger, { kind: 'reserve', holdId: randomUUID(), amount: 1 }),
      ),
    );
    const outcomes = results.map(outcomeOf);
    expect(outcomes.filter((outcome) => 'body' in outcome)).toHaveLength(10);
    expect(outcomes.filter((outcome) => outcome.code === 'insufficient_balance')).toHaveLength(40);
  });

  test('keeps its promises when everything arrives at once, through two copies, and answers get lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), crowd, luck, async (scheduler, wishes, luck) => {
        const store = createInMemoryEventStore();
        const copies = [1, 2].map(() => {
          const slow = losing(slowed(store, scheduler), luck);
          return new Ledger(new Aggregates(slow), slow);
        });
        await carryOut(new Ledger(new Aggregates(store), store), { kind: 'top-up', amount: 40 });
        const asked = wishes.map((wish, n) => carryOut(copies[n % 7 ? 0 : 1] as Ledger, wish));
        await scheduler.waitFor(Promise.allSettled(asked));
        const events = await store.readStream(balanceStream(accountId));
        let state = balance.initialState;
        for (const event of events) {
          state = balance.evolve(state, event as unknown as BalanceEvent);
          expect(state.reservedMicros).toBeGreaterThanOrEqual(0);
          if (event.type === 'BalanceReserved') expect(availableMicros(state)).toBeGreaterThanOrEqual(0);
        }
        const open = state.holds.reduce((sum, hold) => sum + hold.amountMicros, 0);
        expect(state.reservedMicros).toBe(open);
        // Barring what was never made costs nobody anything.
        const done = events.map(
          ({ type, data }) => `${type} ${Object(data).hold_id} ${Object(data).effect ?? ''}`,
        );
        for (const id of holdIds)
          for (const what of [
            `BalanceReserved ${id} `,
            `BalanceCaptured ${id} `,
            `BalanceReleased ${id} freed`,
          ])
            expect(done.filter((each) => each === what).length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 300 },
    );
  });

  test('reserves nothing for whoever has gone before its turn', async () => {
    const store = createInMemoryEventStore();
    const ledger = new Ledger(new Aggregates(store), store);
    await carryOut(ledger, { kind: 'top-up', amount: 10 });
    const reserved = ledger.moveHold(
      { ...message(), timeoutMs: -1 },
      { accountId, holdId: 'late', action: 'reserve', amountMicros: 4 },
      (state) => reserve(state, { holdId: 'late', amountMicros: 4, description: 'Test', reference: null }),
    );
    await expect(reserved).rejects.toMatchObject({ rejection: { code: 'unavailable' } });
    const { state } = await new Aggregates(store).load(balanceStream(accountId), balance);
    expect(state.reservedMicros).toBe(0);
  });

  test('leaves nothing reserved that is given back at the same time through another copy', async () => {
    const [hold] = holdIds as [string];
    const givenBack = fc.constantFrom('release' as const, 'refund' as const);
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.boolean(), givenBack, async (scheduler, isCaptured, kind) => {
        const store = createInMemoryEventStore();
        const copy = () => {
          const slow = slowed(store, scheduler);
          return new Ledger(new Aggregates(slow), slow);
        };
        await carryOut(new Ledger(new Aggregates(store), store), { kind: 'top-up', amount: 10 });
        const paying = (async (ledger: Ledger) => {
          await carryOut(ledger, { kind: 'reserve', holdId: hold, amount: 4 });
          if (isCaptured) await carryOut(ledger, { kind: 'capture', holdId: hold, amount: 3 });
        })(copy());
        await scheduler.waitFor(Promise.all([paying, carryOut(copy(), { kind, holdId: hold })]));
        const { state } = await new Aggregates(store).load(balanceStream(accountId), balance);
        expect(state.reservedMicros).toBe(0);
        if (kind === 'refund') expect(state.totalMicros).toBe(10);
      }),
      { numRuns: 300 },
    );
  });
});

/** The log as another process has it: whatever is asked of it comes there when the scheduler says. */
function slowed(store: EventStore, scheduler: fc.Scheduler): EventStore {
  const arrival = () => scheduler.schedule(Promise.resolve());
  return Object.assign(Object.create(store), {
    readStream: async (...asked) => arrival().then(() => store.readStream(...asked)),
    readAll: async (...asked) => arrival().then(() => store.readAll(...asked)),
    findCommand: async (...asked) => arrival().then(() => store.findCommand(...asked)),
    append: async (...asked) => arrival().then(() => store.append(...asked)),
    appendRun: async (...asked) => arrival().then(() => store.appendRun(...asked)),
    findSnapshot: async (...asked) => arrival().then(() => store.findSnapshot(...asked)),
    keepSnapshot: (...asked) => store.keepSnapshot(...asked),
    onErased: (listener) => store.onErased(listener),
  } satisfies Partial<EventStore>);
}

/** Of some appends, or parts of a run, nobody is told that they are written. */
function losing(store: EventStore, luck: fc.Stream<number>): EventStore {
  const isLost = () => luck.next().value === 0;
  const reason = new Error('no answer');
  return Object.assign(Object.create(store), {
    append: async (request) => {
      const result = await store.append(request);
      if (isLost()) throw reason;
      return result;
    },
    appendRun: async (requests) => {
      const results = await store.appendRun(requests);
      return results.map((result) => (isLost() ? { status: 'rejected', reason } : result));
    },
  } satisfies Partial<EventStore>);
}
