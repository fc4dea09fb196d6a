import { expect, test } from 'vitest';
import { operations } from '../index.ts';

const asking = operations.flatMap(({ name, query }) => {
  const phone = query?.shape.recipient_phone;
  return phone ? [{ name, phone }] : [];
});

test('the history and the past of a permission know it, too', () => {
  const resources = operations.flatMap(({ query }) => query?.shape.resource ?? []);
  expect(resources).toHaveLength(2);
  for (const resource of resources)
    for (const written of ['permission/3: 491701234567', 'permission/3:+491701234567'])
      expect(resource.parse(written)).toBe('permission/3:+491701234567');
});

test('there are queries about a phone number', () => expect(asking.length).toBeGreaterThan(3));

test.each(asking)('$name knows the plus sign of a number that was not encoded', ({ phone }) => {
  for (const written of [' 491701234567', '+491701234567'])
    expect(phone.parse(written)).toBe('+491701234567');
});
