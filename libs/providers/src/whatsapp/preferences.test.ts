import { expect, test } from 'vitest';
import { changed, metadata, read } from './callback.fixture.ts';

const chosen = {
  wa_id: '491711234567',
  detail: 'User requested to stop marketing messages',
  category: 'marketing_messages',
  value: 'stop',
  timestamp: 1_800_000_000,
};
const told = (...user_preferences: unknown[]) =>
  read(changed('user_preferences', { messaging_product: 'whatsapp', metadata, user_preferences }));

test('a customer who stops marketing messages, or wants them again, is told with when', () => {
  const event = {
    type: 'marketing_preference_changed',
    phone_number_id: '11',
    contact: '+491711234567',
    at: '2027-01-15T08:00:00.000Z',
  };
  expect(told(chosen, { ...chosen, value: 'resume' })).toEqual([
    { ...event, id: 'marketing:stop:2027-01-15T08:00:00.000Z', is_stopped: true },
    { ...event, id: 'marketing:resume:2027-01-15T08:00:00.000Z', is_stopped: false },
  ]);
});

test('a customer who hides their number is told by what the platform calls them', () => {
  const user_id = 'US.13491208655302741918';
  expect(told({ ...chosen, wa_id: undefined, user_id })).toMatchObject([{ contact: user_id }]);
});

test.each([
  ['of nobody', { ...chosen, wa_id: undefined }],
  ['of messages of another category', { ...chosen, category: 'service_messages' }],
  ['of another kind', { ...chosen, value: 'pause' }],
  ['that is none', null],
])('a preference %s is passed over, and the others are told', (_, other) =>
  expect(told(other, chosen)).toMatchObject([{ contact: '+491711234567' }]),
);

test('a notification without a number tells of none', () =>
  expect(read(changed('user_preferences', { user_preferences: [chosen] }))).toEqual([]));
