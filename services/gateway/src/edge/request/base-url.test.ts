import { describe, expect, test } from 'vitest';
import { baseUrlOf } from './base-url.ts';

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
