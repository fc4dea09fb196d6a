import { expect, test } from 'vitest';
import { operations } from '../index.ts';

const asking = operations.flatMap(({ name, query }) => {
  const phone = query?.shape.recipient_phone;
  return phone ? [{ name, phone }] : [];
});

test('there are queries about a phone number', () => expect(asking.length).toBeGreaterThan(3));

test.each(asking)('$name knows the plus sign of a number that was not encoded', ({ phone }) => {
  for (const written of [' 491701234567', '+491701234567'])
    expect(phone.parse(written)).toBe('+491701234567');
});
