import { expect, test } from 'vitest';
import { operations } from '../index.ts';

/** GETs of one thing that have no past to show, and why. */
const without: Readonly<Record<string, string>> = {
  'get-trace': 'A trace is a past itself: each of its events has its moment.',
  'get-webhook-secret': 'Secrets are kept beside the log and are destroyed.',
};

const isOfMany = (name: string) => name.startsWith('list-') || name.startsWith('search-');

test('every GET of one resource is answered as of any moment', () => {
  const gets = operations.filter(({ method }) => method === 'GET');
  expect(gets.length).toBeGreaterThan(30);
  const ofOne = gets.filter(({ name, path, query }) => {
    // A list that also gives one of its items by its id is a GET of one as well.
    const picksOne = Object.keys(query?.shape ?? {}).some((field) => field === 'run_id' || field === 'uuid');
    return !isOfMany(name) || path.endsWith('}') || picksOne;
  });
  const forgotten = ofOne.filter(({ query }) => !Object.hasOwn(query?.shape ?? {}, 'as_of'));
  expect(forgotten.map(({ name }) => name).sort()).toEqual(Object.keys(without).sort());
});

test.each(operations.filter(({ query }) => Object.hasOwn(query?.shape ?? {}, 'as_of')))(
  '$name says in the console that it looks back',
  ({ name, description }) => {
    expect([name, description]).toEqual([name, expect.stringContaining('as_of')]);
  },
);
