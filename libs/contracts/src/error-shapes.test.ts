import { expect, test } from 'vitest';
import { operations } from './index.ts';

test('errors are {error} of purchases, knowledgebases and SIP trunks alone (decisions, section 8: 400, 413, 415)', () => {
  const paths = operations.flatMap(({ errorShape, path }) => (errorShape === 'error' ? [path] : []));
  expect([...new Set(paths)].sort()).toEqual([
    '/api/user/knowledgebases',
    '/api/user/knowledgebases/{id}',
    '/api/user/phone-numbers/purchase',
    '/api/user/phone-numbers/sip-trunks',
    '/api/user/phone-numbers/sip-trunks/{id}',
  ]);
});
