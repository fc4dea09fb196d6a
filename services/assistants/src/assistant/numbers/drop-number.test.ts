import { given } from '@parley/testing';
import { expect, test } from 'vitest';
import { assistant } from '../assistant.ts';
import { createAssistant } from '../create-assistant.ts';
import { deleteAssistant } from '../delete-assistant.ts';
import { allIsWell, leastInput } from '../settings.fixture.ts';
import { dropNumber } from './drop-number.ts';

const accountId = 3;
const input = { ...leastInput, type: 'inbound', phone_number_id: 9 } as const;
const creation = createAssistant(null, { accountId, id: 12, uuid: 'u', input }, allIsWell);
if (!('events' in creation)) throw new Error('There is no assistant.');
const answering = given(assistant, ...creation.events);

test('an assistant whose number is gone goes on without it, and gives it free', () => {
  const decision = dropNumber(answering, { accountId, phoneNumberId: 9 });
  expect(decision.events).toEqual([{ type: 'AssistantNumberChanged', data: { phone_number_id: null } }]);
  expect(decision.claims).toEqual([
    { op: 'release', scope: 'inbound-number:3', key: '9', owner: 'assistant-12' },
  ]);
});

test('nothing happens to one that has another number, none, or is deleted', () => {
  const deletion = deleteAssistant(answering, { accountId, now: new Date(0) });
  if (!('events' in deletion)) throw new Error('It is not deleted.');
  const deleted = given({ ...assistant, initialState: answering }, ...deletion.events);
  for (const [state, phoneNumberId] of [
    [answering, 10],
    [deleted, 9],
    [null, 9],
  ] as const)
    expect(dropNumber(state, { accountId, phoneNumberId })).toEqual({ events: [], reply: '{}' });
});
