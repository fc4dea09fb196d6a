import { describe, expect, test } from 'vitest';
import { createBatchLoader } from './batch-loader.ts';

describe('a batch loader', () => {
  test('answers the calls of one tick with one load, each with its own value', async () => {
    const batches: number[][] = [];
    const double = createBatchLoader(async (keys: readonly number[]) => {
      batches.push([...keys]);
      return keys.map((key) => key * 2);
    });
    expect(await Promise.all([double(1), double(2), double(3)])).toEqual([2, 4, 6]);
    expect(batches).toEqual([[1, 2, 3]]);
  });

  test('forms the next batch while one is in flight', async () => {
    const batches: number[][] = [];
    const open: (() => void)[] = [];
    const echo = createBatchLoader(async (keys: readonly number[]) => {
      batches.push([...keys]);
      await new Promise<void>((resolve) => open.push(resolve));
      return keys;
    });
    const first = echo(1);
    await new Promise(setImmediate);
    const rest = [echo(2), echo(3)];
    open.shift()?.();
    await first;
    await new Promise(setImmediate);
    open.shift()?.();
    await Promise.all(rest);
    expect(batches).toEqual([[1], [2, 3]]);
  });

  test('loads what is asked for several times in a batch once, and again in the next', async () => {
    const batches: string[][] = [];
    const load = createBatchLoader(
      async (keys: readonly string[]) => {
        batches.push([...keys]);
        return keys.map((key) => `${key}${batches.length}`);
      },
      { maxBatch: 2 },
    );
    expect(await Promise.all(['a', 'a', 'b', 'a', 'c'].map(load))).toEqual(['a1', 'a1', 'b1', 'a1', 'c2']);
    expect(await load('a')).toBe('a3');
    expect(batches).toEqual([['a', 'b'], ['c'], ['a']]);
  });

  test('splits what is larger than a batch', async () => {
    const sizes: number[] = [];
    const echo = createBatchLoader(
      async (keys: readonly number[]) => {
        sizes.push(keys.length);
        return keys;
      },
      { maxBatch: 2 },
    );
    await Promise.all([echo(1), echo(2), echo(3)]);
    expect(sizes).toEqual([2, 1]);
  });

  test('takes of each owner in turn where more wait than a batch holds', async () => {
    const batches: string[][] = [];
    const echo = createBatchLoader(
      async (keys: readonly string[]) => {
        batches.push([...keys]);
        return keys;
      },
      { maxBatch: 2, ownerOf: ([owner]) => owner },
    );
    const keys = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'];
    expect(await Promise.all(keys.map(echo))).toEqual(keys);
    expect(batches).toEqual([['a1', 'b1'], ['c1', 'a2'], ['b2', 'a3'], ['a4']]);
  });

  test('rejects exactly the calls of a failed load and goes on', async () => {
    let fails = true;
    const echo = createBatchLoader(async (keys: readonly number[]) => {
      if (fails) throw new Error('down');
      return keys;
    });
    await expect(echo(1)).rejects.toThrow('down');
    fails = false;
    expect(await echo(2)).toBe(2);
  });
});
