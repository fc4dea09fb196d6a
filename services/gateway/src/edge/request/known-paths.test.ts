import { operations } from '@parley/contracts';
import { expect, test } from 'vitest';
import { KnownPaths } from './known-paths.ts';

const paths = new KnownPaths();
for (const operation of operations)
  paths.add({
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { operation },
  });

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

test('a route of any path says nothing of the methods of one', () => {
  paths.add({ method: 'OPTIONS', url: '*' });
  paths.add({ method: ['GET', 'HEAD'], url: '/docs/static/*' });
  for (const target of ['/nowhere', '/docs/static/nothing.js']) expect(paths.methodsOf(target)).toEqual([]);
});
