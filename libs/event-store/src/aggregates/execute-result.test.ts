import { expect, test } from 'vitest';
import { type ExecuteResult, mustBeDone } from './execute-result.ts';

const refused = (code: string): ExecuteResult => ({ kind: 'rejected', rejection: { code } });

test('work of our own takes what is done, and the "no" that it expects', () => {
  const done = { kind: 'done', body: '{}', version: 1, position: 1, replayed: false } as const;
  expect(() => mustBeDone(done, 'lead-7')).not.toThrow();
  expect(() => mustBeDone(refused('not_found'), 'lead-7', ['not_found'])).not.toThrow();
});

test('work of our own fails at a "no" that nobody expects', () => {
  expect(() => mustBeDone(refused('not_found'), 'lead-7')).toThrow(new Error('lead-7: not_found'));
});
