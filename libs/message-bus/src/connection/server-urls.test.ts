import { expect, test } from 'vitest';
import { parseServers } from './server-urls.ts';

test.each([
  ['nats://127.0.0.1:4222', { servers: ['127.0.0.1:4222'] }],
  ['nats-1, nats://nats-2:4333', { servers: ['nats-1:4222', 'nats-2:4333'] }],
  ['nats://me:p%40ss@host', { servers: ['host:4222'], user: 'me', pass: 'p@ss' }],
  ['nats://s3cret@a,nats://b', { servers: ['a:4222', 'b:4222'], token: 's3cret' }],
  ['tls://host', { servers: ['host:4222'], tls: {} }],
  ['nats://[::1]:4222', { servers: ['[::1]:4222'] }],
  [['a:1', 'b:2'], { servers: ['a:1', 'b:2'] }],
])('%s is understood', (servers, expected) => {
  expect(parseServers(servers)).toEqual(expected);
});
