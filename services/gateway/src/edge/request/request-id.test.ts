import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { requestIdOf } from './request-id.ts';

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
