import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CommandFailed, exitCodes } from '../exit-codes.ts';
import { LogFollower } from './log-follower.ts';
import type { Operator } from './operator.ts';

/** An operator of services that have so many events each; a service without a number does not answer. */
function operatorOf(heads: Record<string, number | undefined>): Operator {
  const ask = async (service: string, _: unknown, { after }: { after: number }) => {
    const head = heads[service];
    if (head === undefined) throw new CommandFailed(`${service} does not answer.`, exitCodes.unreachable);
    const events = Array.from({ length: head }, (_, index) => ({
      position: index + 1,
      recorded_at: `${index + 1}`,
    })).slice(after);
    return { kind: 'ok', value: { events, head } };
  };
  return { ask } as unknown as Operator;
}

let told: string[];
beforeEach(() => {
  told = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => told.push(String(text)) > 0);
});
afterEach(() => vi.restoreAllMocks());

const never = new AbortController().signal;
const filter = { streamId: undefined, types: [], accountId: undefined };
const others = { assistants: 0, telephony: 0, automations: 0 };
const shown = async (follower: LogFollower) =>
  (await follower.next(never)).map(({ service, position }) => `${service} ${position}`);

test('following goes on when services do not answer for a while, and misses nothing', async () => {
  const heads: Record<string, number | undefined> = { ...others, accounts: 1, messaging: 2 };
  const positions = new Map(Object.entries({ ...others, accounts: 1, messaging: 2 }));
  const follower = new LogFollower(operatorOf(heads), filter, positions, 0);
  for (const service of Object.keys(heads)) heads[service] = undefined;
  expect(await shown(follower)).toEqual([]);
  Object.assign(heads, { ...others, accounts: 2, messaging: 4 });
  expect(await shown(follower)).toEqual(['accounts 2', 'messaging 3', 'messaging 4']);
  expect(await shown(follower)).toEqual([]);
});

test('a service that was away at first begins at its end, or where all were to begin', async () => {
  const heads: Record<string, number | undefined> = { ...others, accounts: 0, messaging: undefined };
  const positions = new Map(Object.entries({ ...others, accounts: 0 }));
  const atEnd = new LogFollower(operatorOf(heads), filter, positions, 0);
  const fromTwo = new LogFollower(operatorOf(heads), filter, positions, 2);
  expect([await shown(atEnd), await shown(fromTwo)]).toEqual([[], []]);
  heads.messaging = 3;
  expect([await shown(atEnd), await shown(fromTwo)]).toEqual([[], ['messaging 3']]);
  heads.messaging = 4;
  expect([await shown(atEnd), await shown(fromTwo)]).toEqual([['messaging 4'], ['messaging 4']]);
});

test('that a service does not answer is told once, and that it answers again', async () => {
  const heads: Record<string, number | undefined> = { ...others, accounts: undefined, messaging: undefined };
  // What asked first has told of messaging.
  const positions = new Map(Object.entries({ ...others, accounts: 0 }));
  const follower = new LogFollower(operatorOf(heads), filter, positions, 0);
  await follower.next(never);
  await follower.next(never);
  expect(told).toEqual(['accounts does not answer.\n']);
  Object.assign(heads, { accounts: 0, messaging: 0 });
  await follower.next(never);
  await follower.next(never);
  expect(told.slice(1)).toEqual(['accounts answers again.\n', 'messaging answers again.\n']);
});

test('a service that takes its time holds up neither the events of others nor the end, and is caught up with', async () => {
  const positions = new Map(Object.entries({ ...others, accounts: 1, messaging: 2 }));
  const { ask } = operatorOf({ ...others, accounts: 2, messaging: 3 });
  const answered = Promise.withResolvers<void>();
  const operator = {
    ask: async (service: string, ...question: unknown[]) => {
      if (service === 'messaging') await answered.promise;
      return Reflect.apply(ask, undefined, [service, ...question]);
    },
  } as unknown as Operator;
  const follower = new LogFollower(operator, filter, positions, 0);
  expect(await shown(follower)).toEqual(['accounts 2']);
  expect(await follower.next(AbortSignal.abort())).toEqual([]);
  answered.resolve();
  await expect.poll(() => shown(follower)).toEqual(['messaging 3']);
});
