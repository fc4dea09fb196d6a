import { expect, test } from 'vitest';
import { createUrlFault } from './webhook-url.ts';

test('a webhook goes to any host but this machine, unless that is allowed', () => {
  const strict = createUrlFault({ ALLOW_LOOPBACK_REQUESTS: false });
  expect(strict('https://hooks.example/in')).toBeNull();
  expect(strict('http://127.0.0.1:8080/')).toEqual(expect.any(String));
  expect(createUrlFault({ ALLOW_LOOPBACK_REQUESTS: true })('http://127.0.0.1:8080/')).toBeNull();
});
