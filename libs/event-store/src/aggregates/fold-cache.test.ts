import { expect, test } from 'vitest';
import { FoldCache } from './fold-cache.ts';
import { nothingYet } from './folding.ts';

const fold = { initialState: '', evolve: (state: string) => state };
const mebibyte = 1024 * 1024;

test('folds are kept up to a number, and up to a size: the last ones used', () => {
  const cache = new FoldCache({ maxEntries: 5, maxBytes: 3.5 * mebibyte });
  const keep = (id: string, state: string) =>
    cache.placeOf(id, fold).keep({ ...nothingYet(fold), state, version: 1 });
  const known = () => [...'abcdefgh'].filter((id) => cache.placeOf(id, fold).known !== undefined).join('');
  for (const id of 'abcdefgh') keep(id, 'small');
  expect(known()).toBe('defgh');
  for (const id of 'abcde') keep(id, 'x'.repeat(mebibyte));
  expect(known()).toBe('cde');
});

test('a stream that does not exist is not kept, and pushes none out', () => {
  const cache = new FoldCache({ maxEntries: 1, maxBytes: mebibyte });
  cache.placeOf('a', fold).keep({ ...nothingYet(fold), version: 1 });
  cache.placeOf('b', fold).keep(nothingYet(fold));
  expect(cache.placeOf('a', fold).known).toBeDefined();
  expect(cache.placeOf('b', fold).known).toBeUndefined();
});

test('a fold that is larger than all of them may be is not kept, and pushes none out', () => {
  const cache = new FoldCache({ maxEntries: 5, maxBytes: mebibyte });
  cache.placeOf('a', fold).keep({ ...nothingYet(fold), state: 'small', version: 1 });
  cache.placeOf('b', fold).keep({ ...nothingYet(fold), state: 'x'.repeat(2 * mebibyte), version: 1 });
  expect(cache.placeOf('a', fold).known).toBeDefined();
  expect(cache.placeOf('b', fold).known).toBeUndefined();
});
