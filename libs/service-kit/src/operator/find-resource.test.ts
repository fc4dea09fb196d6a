import { expect, test } from 'vitest';
import { defineResource, numberedStream } from '../resources/resource.ts';
import { findResource, findResourceOf } from './find-resource.ts';

const fold = { initialState: null, evolve: () => null };
const resources = [
  defineResource({ name: 'folder', streamOf: numberedStream('folder'), fold }),
  defineResource({ name: 'balance', streamOf: numberedStream('balance'), isOnePerAccount: true, fold }),
];

test('a resource is found by its name and number, or by its name alone for the account’s own', () => {
  expect(findResource(resources, 'folder/12')).toMatchObject({ id: '12', streamId: 'folder-12' });
  expect(findResource(resources, 'balance', 3)).toMatchObject({ id: '3', streamId: 'balance-3' });
  expect(findResource(resources, 'balance')).toBeUndefined();
  // There are many of them, and one has the account's number by chance.
  expect(findResource(resources, 'folder', 3)).toBeUndefined();
  expect(findResource(resources, 'folder/12/13')).toBeUndefined();
  expect(findResource(resources, 'label/12')).toBeUndefined();
});

test('an event belongs to the resource whose stream it is in, or to none', () => {
  expect(findResourceOf(resources, { category: 'folder', streamId: 'folder-12' })).toMatchObject({
    id: '12',
  });
  expect(findResourceOf(resources, { category: 'clock', streamId: 'clock-platform' })).toBeUndefined();
});
