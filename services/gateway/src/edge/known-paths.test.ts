import { operations } from '@parley/contracts';
import { expect, test } from 'vitest';
import { KnownPaths } from './known-paths.ts';

const paths = new KnownPaths(operations);

test('every operation is found at its path, also when a value cannot be decoded', () => {
  for (const operation of operations) {
    const target = operation.path.replaceAll(/\{\w+\}/g, '%zz');
    expect(paths.operationOf(operation.method, `${target}?a=%zz`)).toBe(operation);
    expect(paths.methodsOf(target)).toContain(operation.method);
    // The pattern takes literal parts as they are written.
    expect(operation.path).toMatch(/^[\w/{}.-]+$/);
  }
});

test('an unknown path has no methods', () => {
  for (const target of [
    '/',
    '/api/user/folder/',
    '/api/user/folder/1/2',
    '/api/user/foldersX',
    'x/api/user/folders',
  ])
    expect(paths.methodsOf(target)).toEqual([]);
});
