import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { reject } from '@parley/contracts';
import { describe, expect, test } from 'vitest';
import { expectedVersionOf } from '../operation/if-match.ts';
import { baseUrlOf } from './base-url.ts';
import { requestIdOf } from './request-id.ts';
import { traceParentOf } from './trace-parent.ts';

const requestWith = (id: string | undefined) => {
  const request = new IncomingMessage(new Socket());
  if (id !== undefined) request.headers['x-request-id'] = id;
  return request;
};

describe('a request id', () => {
  test.each(['a', 'A-b_9', 'x'.repeat(128)])('%s is kept', (id) => {
    expect(requestIdOf(requestWith(id))).toBe(id);
  });

  test.each([undefined, '', 'a b', 'ä', 'x'.repeat(129), '{}', 'a\u0000'])(
    '%j is replaced by a new one',
    (id) => {
      expect(requestIdOf(requestWith(id))).toMatch(/^[0-9a-f-]{36}$/);
    },
  );
});

describe('a base URL', () => {
  test.each([
    ['http', 'localhost:3000', 'http://localhost:3000'],
    ['https', 'localhost:3000', 'https://localhost:3000'],
    ['https', 'api.example.com', 'https://api.example.com'],
    ['http', '[::1]:3000', 'http://[::1]:3000'],
  ])('of %s and %s is %s', (protocol, host, url) => {
    expect(baseUrlOf(protocol, host)).toBe(url);
  });

  test.each(['', 'a b', 'a/b', 'user@host', 'a"b', '<x>', 'x'.repeat(254)])(
    'of the host %j is none',
    (host) => {
      expect(baseUrlOf('http', host)).toBeNull();
    },
  );
});

describe('If-Match', () => {
  test.each([
    [undefined, null],
    ['*', null],
    ['"12"', 12],
    [' "0" ', 0],
  ])('%j expects %j', (header, version) => {
    expect(expectedVersionOf(header)).toBe(version);
  });

  test.each(['', '12', 'W/"12"', '"abc"', '"1", "2"', '"-1"', `"${'9'.repeat(16)}"`])(
    '%j never matches',
    (header) => {
      expect(expectedVersionOf(header)).toEqual(reject('version_mismatch'));
    },
  );
});

test('a trace context is passed on when it is one', () => {
  const given = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  expect(traceParentOf(given)).toBe(given);
  for (const other of [undefined, '', 'x', `${given}-00`, [given]])
    expect(traceParentOf(other)).toBeUndefined();
});
