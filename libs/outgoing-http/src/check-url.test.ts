import { expect, test } from 'vitest';
import { isAllowedAddress } from './address-policy.ts';
import { checkUrl } from './index.ts';
import { acceptedTargets, refusedTargets } from './targets.fixture.ts';

const policy = { allowLoopback: false };
const at = (target: string) => target.replace('PORT', '40123');

test('the corpus holds at least 120 targets', () => {
  expect(new Set(refusedTargets).size).toBeGreaterThanOrEqual(120);
});

test.each(refusedTargets)('%j is refused without a look-up', (target) => {
  expect(checkUrl(at(target), policy)).toMatchObject({ kind: 'refused' });
});

test.each(acceptedTargets)('%j is accepted', (target) => {
  expect(checkUrl(target, policy)).toMatchObject({ kind: 'ok' });
});

test.each([
  ['ftp://example.com/', 'scheme'],
  ['http://u:p@example.com/', 'credentials'],
  ['http://example.com:22/', 'port'],
  ['http://0x7f.1/', 'address'],
  ['http://example.com/\n', 'malformed'],
])('%j is refused for its %s, in words that hold no part of it', (target, fault) => {
  const checked = checkUrl(target, policy);
  expect(checked).toMatchObject({ kind: 'refused', fault });
  expect(checked).not.toMatchObject({ message: expect.stringMatching(/example|0x7f|127|u:p/) });
});

test('a stack of one machine may reach its own loopback, and nothing else that is private', () => {
  const local = { allowLoopback: true };
  for (const host of ['127.0.0.1', '127.9.9.9', '[::1]', 'localhost', 'a.localhost', '0x7f.1'])
    expect(checkUrl(`http://${host}:40123/`, local).kind).toBe('ok');
  for (const host of ['10.0.0.1', '169.254.169.254', '[::ffff:127.0.0.1]', '0.0.0.0', '[::]', '[fe80::1]'])
    expect(checkUrl(`http://${host}:40123/`, local).kind).toBe('refused');
  for (const port of [22, 25, 4222, 5432])
    expect(checkUrl(`http://127.0.0.1:${port}/`, local).kind).toBe('refused');
});

test('what is no address in its full form is refused', () => {
  for (const text of [
    '',
    '1',
    '127.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    'example.com',
    'fe80::1%eth0',
    '1.2.3.4.5',
  ])
    expect(isAllowedAddress(text, { allowLoopback: true })).toBe(false);
  for (const address of ['1.1.1.1', '93.184.215.14', '2606:4700:4700::1111', '2a00:1450::1'])
    expect(isAllowedAddress(address, policy)).toBe(true);
});
