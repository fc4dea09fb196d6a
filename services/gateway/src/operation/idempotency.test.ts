import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  fingerprintOf,
  freshIdentity,
  keyedIdentity,
  keyFault,
  type RequestContent,
  RunningCommands,
} from './idempotency.ts';

const content: RequestContent = { method: 'POST', path: '/api/user/folder', query: {}, body: { name: 'a' } };
const idOf = (accountId: number, operation: string, key: string) =>
  keyedIdentity(accountId, operation, key, content).commandId;

describe('a command id', () => {
  test('is the same for the same account, operation and key', () => {
    expect(idOf(1, 'create-folder', 'k')).toBe(idOf(1, 'create-folder', 'k'));
    // Stored in every log: a change here would break the replays of commands already made.
    expect(idOf(1, 'create-folder', 'k')).toBe('ab0cc932-4452-56c2-98b2-d5c701f6b6c3');
  });

  test('is another for another account, operation or key', () => {
    const ids = [
      idOf(1, 'create-folder', 'k'),
      idOf(2, 'create-folder', 'k'),
      idOf(1, 'create-label', 'k'),
      idOf(1, 'create-folder', 'K'),
      idOf(11, 'create-folder', 'k'),
      idOf(1, 'create', 'folder\nk'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('is fresh when the caller chose none', () => {
    expect(freshIdentity().fingerprint).toBeNull();
    expect(freshIdentity().commandId).not.toBe(freshIdentity().commandId);
  });
});

describe('a fingerprint', () => {
  test('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => {
        const reversed = Object.fromEntries(Object.entries(body).reverse());
        expect(fingerprintOf({ ...content, body: reversed })).toBe(fingerprintOf({ ...content, body }));
      }),
    );
  });

  test.each([
    { method: 'PUT' },
    { path: '/api/user/folder/2' },
    { query: { a: '1' } },
    { body: { name: 'b' } },
    { body: { name: 'a', color: null } },
    { body: { name: ['a'] } },
    { body: null },
  ])('depends on %j', (change) => {
    expect(fingerprintOf({ ...content, ...change })).not.toBe(fingerprintOf(content));
  });

  test('depends on the order of an array', () => {
    expect(fingerprintOf({ ...content, body: [1, 2] })).not.toBe(fingerprintOf({ ...content, body: [2, 1] }));
  });
});

test.each(['', 'x'.repeat(256)])('an Idempotency-Key of %s is refused', (key) => {
  expect(keyFault(key)).toMatchObject({ code: 'invalid', fields: { idempotency_key: [expect.any(String)] } });
});

test.each(['x', 'x'.repeat(255)])('an Idempotency-Key of %s is taken', (key) => {
  expect(keyFault(key)).toBeNull();
});

describe('commands that run', () => {
  const identity = keyedIdentity(1, 'create-folder', 'k', content);

  test('run once at a time per key', () => {
    const running = new RunningCommands();
    expect(running.start(identity)).toBeNull();
    expect(running.start(identity)).toMatchObject({ code: 'idempotency_in_progress' });
    expect(running.start({ ...identity, fingerprint: 'other' })).toMatchObject({
      code: 'idempotency_key_reuse',
    });
    running.end(identity);
    expect(running.start(identity)).toBeNull();
  });

  test('that were answered do not wait for each other, as long as they are among the last 10,000', () => {
    const running = new RunningCommands();
    running.answered(identity);
    expect([running.start(identity), running.start(identity)]).toEqual([null, null]);
    for (let n = 0; n < 10_000; n += 1) running.answered({ commandId: `c${n}`, fingerprint: 'f' });
    expect(running.start(identity)).toBeNull();
    expect(running.start(identity)).toMatchObject({ code: 'idempotency_in_progress' });
  });

  test('are not held back without a key', () => {
    const running = new RunningCommands();
    const fresh = freshIdentity();
    expect([running.start(fresh), running.start(fresh)]).toEqual([null, null]);
  });
});
