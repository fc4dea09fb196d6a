import { expect, test } from 'vitest';
import { failureOf } from './sdk-failure.ts';

const [provider, message] = ['It', 'No.'];
const silence = 'It gave no usable answer: No.';

test.each([
  [null, 'ECONNREFUSED', 'unavailable'],
  [null, 'ENOTFOUND', 'unavailable'],
  [null, 'EAI_AGAIN', 'unavailable'],
  [null, 'ENETUNREACH', 'unavailable'],
  [null, 'EHOSTUNREACH', 'unavailable'],
  [null, 'EAI_FAIL', 'unavailable'],
  [null, 'ENETDOWN', 'unavailable'],
  [null, 'EHOSTDOWN', 'unavailable'],
  [null, 'EMFILE', 'unavailable'],
  [null, 'NOT_LOADED', 'unavailable'],
  [null, 'CERT_HAS_EXPIRED', 'unavailable'],
  [null, 'SELF_SIGNED_CERT_IN_CHAIN', 'unavailable'],
  [null, 'EPROTO', 'unknown'],
  [null, 'ECONNRESET', 'unknown'],
  [null, null, 'unknown'],
  [401, null, 'unavailable'],
  [429, null, 'unavailable'],
  [503, '20503', 'unavailable'],
  [503, null, 'unknown'],
  [500, null, 'unknown'],
  [502, null, 'unknown'],
  [409, 'idempotency_key_in_use', 'unknown'],
  [302, null, 'unknown'],
] as const)('status %s with %s leaves it %3$s what was done', (status, code, kind) => {
  const told = { kind, message: status === null ? silence : message };
  expect(failureOf({ provider, status, code, message })).toEqual(told);
});

/** As Node fails where a name has several addresses: the first did not answer soon enough to wait for it alone. */
const noneOf = (...syscalls: string[]) =>
  new AggregateError(syscalls.map((syscall) => Object.assign(new Error(), { code: 'ETIMEDOUT', syscall })));

test.each([
  ['none of its addresses took a connection', noneOf('connect', 'connect'), 'unavailable'],
  ['one of its connections broke', noneOf('connect', 'read'), 'unknown'],
  ['its only address took no connection', noneOf('connect').errors[0], 'unavailable'],
  ['it gave no answer', noneOf('read').errors[0], 'unknown'],
])('a provider of which %s has done nothing, or perhaps it has', (_, cause, kind) => {
  const error = { provider, status: null, code: 'ETIMEDOUT', message, cause };
  expect(failureOf(error)).toEqual({ kind, message: silence });
});

test('of several addresses that were tried it is told by its code why there was no answer', () => {
  const error = {
    provider,
    status: null,
    code: 'ETIMEDOUT',
    message: '',
    cause: noneOf('connect', 'connect'),
  };
  expect(failureOf(error)).toMatchObject({ message: 'It gave no usable answer: ETIMEDOUT' });
});

test.each([400, 402, 404, 422])('status %d is a refusal, with its code', (status) => {
  expect(failureOf({ provider, status, code: 'card_declined', message })).toEqual({
    kind: 'rejected',
    code: 'card_declined',
    message,
  });
});
