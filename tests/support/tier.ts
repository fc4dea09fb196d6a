/** Whether tests run in their long form. */
export const isNightly = process.env.PARLEY_TEST_TIER === 'nightly';

/** What a test with random numbers starts from; PARLEY_SEED repeats a run. */
export const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1_000_000);

/** Numbers from 0 up to 1, the same for the same seed. */
export function randomNumbers(from = seed): () => number {
  let state = from >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** All of them at night; otherwise so many as the seed draws, in their order. */
export function drawn<Case>(cases: readonly Case[], count: number): readonly Case[] {
  if (isNightly) return cases;
  const random = randomNumbers();
  const left = [...cases];
  while (left.length > count) left.splice(Math.floor(random() * left.length), 1);
  return left;
}
