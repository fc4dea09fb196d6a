import type { NumberEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { bought } from './bought.fixture.ts';
import { phoneNumber } from './number.ts';
import { renameNumber } from './rename.ts';

const owned = given(phoneNumber, ...bought);

test('a number gets a nickname, another one and none; calling it what it is called is no event', () => {
  const named = renameNumber(owned, 'Hotline');
  expect(named).toMatchObject({
    events: [{ type: 'NumberRenamed', data: { nickname: 'Hotline' } }],
    reply: { message: 'Phone number updated successfully', data: { id: 7, nickname: 'Hotline' } },
  });
  const state = given(phoneNumber, ...bought, ...golden<NumberEvent>('NumberRenamed.v1'));
  expect(renameNumber(state, state?.nickname ?? '')).toMatchObject({
    events: [],
    reply: { data: { nickname: state?.nickname } },
  });
  expect(renameNumber(state, null)).toMatchObject({
    events: [{ type: 'NumberRenamed', data: { nickname: null } }],
  });
});

test('a number that is not owned, or not owned yet, is not found', () => {
  const buying = given(phoneNumber, ...golden<NumberEvent>('NumberPurchaseRequested.v1'));
  for (const state of [null, buying]) expect(renameNumber(state, 'x')).toEqual({ code: 'not_found' });
});
