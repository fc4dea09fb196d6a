import { expect, test } from 'vitest';
import { withoutSecrets, withPlaceholders } from './lines.ts';

const event = {
  event_id: '0193e2a0-0000-7000-8000-000000000001',
  type: 'ApiKeyCreated',
  data: { name: 'CI' },
} as unknown as Parameters<typeof withPlaceholders>[0];

test('what a contract calls secret is not exported, and stands for nothing where it is taken in', () => {
  const data = { name: 'CI', token_sha256: 'ab' };
  expect(withoutSecrets('ApiKeyCreated', data)).toEqual({ name: 'CI' });
  expect(withPlaceholders(event)).toEqual({ name: 'CI', token_sha256: `withheld:${event.event_id}` });
  expect(withPlaceholders({ ...event, data: { ...data } })).toEqual(data);
});

test('an event without secrets, or of a type that nobody knows here, travels as it is', () => {
  for (const type of ['FolderCreated', 'WrittenByALaterRelease']) {
    expect(withoutSecrets(type, { name: 'Sales' })).toEqual({ name: 'Sales' });
    expect(withPlaceholders({ ...event, type })).toEqual({ name: 'CI' });
  }
});
