import { type Rejection, reject } from '@parley/contracts';
import type { MessageContext } from '@parley/message-bus';
import { expect, test } from 'vitest';
import { accountOf, atExpectedVersion, causeOf } from './cause.ts';
import { RejectionError } from './replies.ts';

const message: MessageContext = {
  accountId: 3,
  actor: { kind: 'api_key', id: '41' },
  commandId: '0193e2a0-0000-7000-8000-000000000001',
  fingerprint: null,
  correlationId: 'request-1',
  expectedVersion: null,
  baseUrl: null,
  timeoutMs: 1000,
};

test('what a command appends carries who asked, in which request, by which command', () => {
  expect(causeOf({ ...message, fingerprint: 'f', traceparent: '00-1', chainDepth: 3 })).toEqual({
    metadata: {
      actor: message.actor,
      commandId: message.commandId,
      correlationId: 'request-1',
      causationId: message.commandId,
      traceparent: '00-1',
      chainDepth: 3,
    },
    command: { commandId: message.commandId, fingerprint: 'f' },
  });
});

test('a message without a command id is caused by its request', () => {
  const cause = causeOf({ ...message, commandId: null });
  expect(cause.command).toBeNull();
  expect(cause.metadata.causationId).toBe('request-1');
});

test('a message without an account is unauthorized', () => {
  expect(accountOf(message)).toBe(3);
  expect(() => accountOf({ ...message, accountId: null })).toThrow(RejectionError);
});

test('a resource at another version than expected is left alone', () => {
  const decision = { events: [], reply: null };
  const decide = (expectedVersion: number | null, outcome: typeof decision | Rejection) =>
    atExpectedVersion({ ...message, expectedVersion }, () => outcome)(null, 2);
  expect(decide(null, decision)).toBe(decision);
  expect(decide(2, decision)).toBe(decision);
  expect(decide(1, decision)).toEqual({ code: 'version_mismatch' });
  expect(decide(1, reject('invalid'))).toEqual({ code: 'version_mismatch' });
  expect(decide(1, reject('not_found'))).toEqual({ code: 'not_found' });
});
