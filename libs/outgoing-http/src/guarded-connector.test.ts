import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { AddressRefused, guardedLookup, HostNotFound } from './guarded-connector.ts';

const lookUp = (addresses: readonly (readonly string[])[], allowLoopback = false) => {
  let asked = 0;
  const lookup = guardedLookup({ allowLoopback }, async () => addresses[asked++] ?? []);
  return () => promisify(lookup)('rebind.example', { all: true });
};

test('a connection gets the very addresses that were judged', async () => {
  const look = lookUp([['93.184.215.14', '2606:4700:4700::1111']]);
  expect(await look()).toEqual([
    { address: '93.184.215.14', family: 4 },
    { address: '2606:4700:4700::1111', family: 6 },
  ]);
});

test('a name that resolves to a public address first and to a private one later is refused later', async () => {
  const look = lookUp([['93.184.215.14'], ['127.0.0.1'], ['93.184.215.14'], ['169.254.169.254']]);
  expect(await look()).toHaveLength(1);
  await expect(look()).rejects.toThrow(AddressRefused);
  expect(await look()).toHaveLength(1);
  await expect(look()).rejects.toThrow(AddressRefused);
});

test.each([
  [['93.184.215.14', '10.0.0.1']],
  [['2606:4700:4700::1111', '::1']],
  [['::ffff:93.184.215.14']],
  [['93.184.215.14', '0.0.0.0']],
])('a name with %j among its addresses is refused whole', async (addresses) => {
  await expect(lookUp([addresses])()).rejects.toThrow(AddressRefused);
});

test('a name without an address is not found', async () => {
  await expect(lookUp([[]])()).rejects.toThrow(HostNotFound);
  const failing = guardedLookup({ allowLoopback: false }, () => Promise.reject(new Error('SERVFAIL')));
  await expect(promisify(failing)('nothing.example', {})).rejects.toThrow(HostNotFound);
});

test('one address is given where one is asked for', async () => {
  const lookup = guardedLookup({ allowLoopback: true }, async () => ['127.0.0.1', '::1']);
  const found = new Promise((resolve) => lookup('localhost', {}, (...answer) => resolve(answer)));
  expect(await found).toEqual([null, '127.0.0.1', 4]);
});
