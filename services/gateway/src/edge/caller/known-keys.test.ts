import { describe, expect, test } from 'vitest';
import { KnownKeys } from './known-keys.ts';

const ada = { accountId: 1, apiKeyId: '11' };
const bob = { accountId: 2, apiKeyId: '12' };

/** Accounts that answers when it is told to, and two clocks that go when they are told to. */
function setUp(maxKeys?: number) {
  const clocks = [0, 1_000_000];
  const asked: { after: number; answer: (position: number, deleted: number[] | null) => Promise<void> }[] =
    [];
  const keys = new KnownKeys({
    clocks: clocks.map((_, index) => () => clocks[index] ?? 0),
    ...(maxKeys !== undefined && { maxKeys }),
    listDeleted: (after) =>
      new Promise((resolve) =>
        asked.push({
          after,
          async answer(position, deleted) {
            resolve({ position, deleted, lease_ms: 500 });
            await new Promise(setImmediate);
          },
        }),
      ),
  });
  const pass = (ms: number, of = [0, 1]) => {
    for (const index of of) clocks[index] = (clocks[index] ?? 0) + ms;
  };
  return { keys, asked, pass };
}

/** With a lease that was asked for just now. */
async function setUpLeased() {
  const all = setUp();
  all.keys.keep('a', ada, 7);
  all.keys.find('a');
  await all.asked[0]?.answer(7, []);
  return all;
}

describe('what is known of keys', () => {
  test('is nothing certain without a lease, but a guess', () => {
    const { keys } = setUp();
    keys.keep('a', ada, 7);
    expect(keys.find('a')).toBeUndefined();
    expect(keys.guess('a')).toEqual(ada);
  });

  test('is certain until the lease ends, which counts from when it was asked for', async () => {
    const { keys, asked, pass } = setUp();
    keys.keep('a', ada, 7);
    keys.find('a');
    pass(300);
    await asked[0]?.answer(7, []);
    expect(keys.find('a')).toEqual(ada);
    expect(keys.find('b')).toBeUndefined();
    pass(199);
    expect(keys.find('a')).toEqual(ada);
    pass(1);
    expect(keys.find('a')).toBeUndefined();
  });

  test.each([0, 1])('is not certain any more when one clock alone says so: clock %i', async (clock) => {
    const { keys, pass } = await setUpLeased();
    pass(500, [clock]);
    expect(keys.find('a')).toBeUndefined();
  });

  test('is renewed by use, one question at a time, from where the last one ended', async () => {
    const { keys, asked, pass } = await setUpLeased();
    pass(199);
    keys.find('a');
    expect(asked).toHaveLength(1);
    pass(1);
    keys.find('a');
    pass(250);
    keys.find('a');
    expect(asked.map(({ after }) => after)).toEqual([7, 7]);
    await asked[1]?.answer(20, []);
    keys.find('a');
    expect(asked.map(({ after }) => after)).toEqual([7, 7, 20]);
    expect(keys.find('a')).toEqual(ada);
  });

  test('ends with the news of a deletion', async () => {
    const { keys, asked, pass } = await setUpLeased();
    keys.keep('b', bob, 8);
    pass(200);
    keys.find('a');
    await asked[1]?.answer(9, [11]);
    expect([keys.find('a'), keys.guess('a'), keys.find('b')]).toEqual([undefined, undefined, bob]);
  });

  test('never includes what was looked up before the newest news, which may have told its deletion', async () => {
    const { keys, asked, pass } = await setUpLeased();
    pass(200);
    keys.find('a');
    await asked[1]?.answer(9, [12]);
    keys.keep('b', bob, 8);
    expect(keys.find('b')).toBeUndefined();
  });

  test('is forgotten altogether when there is too much news, and begins anew', async () => {
    const { keys, asked, pass } = await setUpLeased();
    pass(200);
    keys.find('a');
    await asked[1]?.answer(3, null);
    expect([keys.find('a'), keys.guess('a')]).toEqual([undefined, undefined]);
    keys.keep('a', ada, 3);
    pass(200);
    keys.find('a');
    await asked[2]?.answer(3, []);
    expect(keys.find('a')).toEqual(ada);
  });

  test('has a bound: the key used longest ago goes first', () => {
    const { keys } = setUp(2);
    for (const name of ['a', 'b']) keys.keep(name, ada, 7);
    keys.guess('a');
    keys.keep('c', ada, 7);
    expect(['a', 'b', 'c'].map((name) => keys.guess(name))).toEqual([ada, undefined, ada]);
  });
});

test('a question that fails is asked again, not by every request', async () => {
  let questions = 0;
  let now = 0;
  const keys = new KnownKeys({
    clocks: [() => now],
    listDeleted: () => {
      questions += 1;
      return Promise.reject(new Error('no answer'));
    },
  });
  keys.keep('a', ada, 7);
  for (let request = 0; request < 10; request += 1) {
    keys.find('a');
    await new Promise(setImmediate);
  }
  expect(questions).toBe(1);
  now += 200;
  keys.find('a');
  expect(questions).toBe(2);
});
