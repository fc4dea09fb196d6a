import { expect, test } from 'vitest';
import { changed, common, metadata, read } from './callback.fixture.ts';

const user = 'US.13491208655302741918';
const other = 'US.11815799212886844830';

/** What the platform writes in the name of a customer. */
const written = (system: unknown, message: object = { from: '491711234567' }) => {
  const element = { id: 'wamid.1', timestamp: '1800000000', type: 'system', ...message, system };
  return read(changed('messages', { metadata, messages: [element] }));
};
const toNumber = { body: 'Ada changed from 1 to 2', type: 'user_changed_number', wa_id: '491717654321' };
const toUser = { body: 'Ada changed', type: 'user_changed_user_id', user_id: other };
const event = { ...common, type: 'contact_moved' };

test('a customer with another number is told with the one before', () => {
  expect(written(toNumber)).toEqual([{ ...event, moved_to: '+491717654321' }]);
  const ids = { user_id: other, previous_user_id: user };
  expect(written({ ...toNumber, ...ids }, { from: '491711234567', from_user_id: user })).toEqual([
    { ...event, moved_to: '+491717654321' },
  ]);
});

test('a customer who hides their number is told by what the platform calls them', () => {
  const moved = [{ ...event, contact: user, moved_to: other }];
  expect(written({ ...toUser, previous_user_id: user }, {})).toEqual(moved);
  expect(written(toUser, { from_user_id: user })).toEqual(moved);
  expect(written({ ...toUser, previous_user_id: user }, { from_user_id: other })).toEqual(moved);
});

test.each<[string, unknown, object?]>([
  ['something else', { ...toNumber, type: 'user_identity_changed' }],
  ['nothing', undefined],
  ['of nobody', { ...toUser }, {}],
  ['of no other number', { ...toNumber, wa_id: undefined }],
  ['of the same number', { ...toNumber, wa_id: '491711234567' }],
])('what the platform writes in a customer’s name is no message where it tells %s', (_, system, message) =>
  expect(written(system, message)).toEqual([]),
);
