import type { ProviderResult } from '@parley/providers';
import { expect, test } from 'vitest';
import { InboundLines } from './inbound-lines.ts';

const line = { reference: 'parley-1', number: '+14155550100' };
const lost = { kind: 'unknown', message: 'no answer' } as const;

/** A voice platform, with what it has; `isDeaf`: it does what it is asked, and its answer gets lost. */
function platform({ isReady = true, isDeaf = false } = {}) {
  const trunks = new Map<string, { readonly reference: string; readonly number: string }>();
  const answer = <T>(value: T): ProviderResult<T> => (isDeaf ? lost : { kind: 'ok', value });
  const lines = new InboundLines({
    receiveCalls: async () => (isReady ? { kind: 'ok', value: undefined } : lost),
    findTrunks: async (_, { reference }) => ({
      kind: 'ok',
      value: [...trunks].flatMap(([id, trunk]) => (trunk.reference === reference ? [id] : [])),
    }),
    async createTrunk(direction, { reference, number }) {
      trunks.set(`${direction} ${trunks.size}`, { reference, number });
      return answer('id');
    },
    async deleteTrunk(id) {
      trunks.delete(id);
      return answer(undefined);
    },
  });
  return { lines, trunks };
}

test('a number can be called once its line is open, however often it is opened', async () => {
  const { lines, trunks } = platform();
  for (const _ of [1, 2]) expect(await lines.open(line)).toBeNull();
  expect([...trunks]).toEqual([['inbound 0', line]]);
});

test('a line whose making was not answered is found', async () => {
  const { lines, trunks } = platform({ isDeaf: true });
  expect(await lines.open(line)).toBeNull();
  expect(trunks.size).toBe(1);
});

test('no line is open on a platform that takes no calls', async () => {
  const { lines, trunks } = platform({ isReady: false });
  expect(await lines.open(line)).toEqual(lost);
  expect(trunks.size).toBe(0);
});

test('a line that is closed is gone, and those of others stay', async () => {
  const { lines, trunks } = platform();
  const other = { ...line, reference: 'parley-2' };
  await lines.open(line);
  await lines.open(other);
  for (const _ of [1, 2]) expect(await lines.close(line)).toBeNull();
  expect([...trunks.values()]).toEqual([other]);
});
