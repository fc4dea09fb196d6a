import { expect, test } from 'vitest';
import { BoundedWork } from './bounded-work.ts';

/** Work that ends when it is told to. */
function controlled() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () =>
    new Promise<void>((resolve) => {
      started.push(name);
      ends.set(name, resolve);
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  return { started, work, end };
}

const unexpected = (error: unknown) => {
  throw error;
};

test('so many run at once, and the next when one has ended', async () => {
  const { started, work, end } = controlled();
  const bounded = new BoundedWork(2, unexpected);
  for (const name of ['a', 'b', 'c', 'd']) bounded.add(name, work(name));
  expect(started).toEqual(['a', 'b']);
  await end('b');
  expect(started).toEqual(['a', 'b', 'c']);
  await end('a');
  await end('c');
  await end('d');
  expect(started).toEqual(['a', 'b', 'c', 'd']);
});

test('what is wanted while it runs runs once more afterwards, as it was wanted last', async () => {
  const { started, work, end } = controlled();
  const bounded = new BoundedWork(2, unexpected);
  for (const name of ['first', 'second', 'third']) bounded.add('key', work(name));
  bounded.add('other', work('other'));
  expect(started).toEqual(['first', 'other']);
  await end('first');
  expect(started).toEqual(['first', 'other', 'third']);
  await end('third');
  expect(started).toEqual(['first', 'other', 'third']);
});

test('what fails is reported and holds nothing up', async () => {
  const failed: string[] = [];
  const bounded = new BoundedWork(1, (_error, key) => failed.push(key));
  const done: string[] = [];
  bounded.add('bad', () => Promise.reject(new Error('bad')));
  bounded.add('worse', () => {
    throw new Error('worse');
  });
  bounded.add('good', async () => void done.push('good'));
  await expect.poll(() => done).toEqual(['good']);
  expect(failed).toEqual(['bad', 'worse']);
});

test('closing waits for what runs and forgets what waits', async () => {
  const { started, work, end } = controlled();
  const bounded = new BoundedWork(1, unexpected);
  bounded.add('a', work('a'));
  bounded.add('b', work('b'));
  let isClosed = false;
  const closing = bounded.close().then(() => {
    isClosed = true;
  });
  await new Promise(setImmediate);
  expect(isClosed).toBe(false);
  await end('a');
  await closing;
  bounded.add('c', work('c'));
  expect(started).toEqual(['a']);
});
