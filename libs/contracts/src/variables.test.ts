import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { fieldErrors } from './field-errors.ts';
import { createLead } from './operations/leads.ts';
import { knownVariables, variables } from './variables.ts';

const isTaken = (value: unknown) => variables().safeParse({ value }).success;

test.each([0, -0, 1, -1.5, 1e-6, -1e-6, 1e20, 0.1 + 0.2])('%d is taken', (value) => {
  expect(isTaken(value)).toBe(true);
});

test.each([1e308, -1e308, 1e21, 1e-7, -9.99e-7, 5e-324])('%d is refused, however deep it is', (value) => {
  expect(isTaken(value)).toBe(false);
  expect(isTaken([{ deep: [value] }])).toBe(false);
});

test('what is taken is no longer in Postgres, which writes exponents out, than in JSON', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(isTaken(value)).toBe(/^-?\d+(\.\d+)?$/.test(JSON.stringify(value)));
    }),
  );
});

test('a refusal names the field that holds the number', () => {
  const input = {
    phone_number: '+4930901820',
    campaign_id: 1,
    secondary_contacts: [{ phone_number: '+4930901821', variables: { size: [1e308] } }],
  };
  const { error } = createLead.body.safeParse(input);
  expect(error && fieldErrors(error, input)).toEqual({
    'secondary_contacts.0.variables': [
      'The secondary contacts.0.variables field must not hold numbers of 1e21 or more, or between 0 and 0.000001.',
    ],
  });
});

test('a list as long as a body can hold is checked in not much more time than it takes to read', () => {
  const value = { list: Array.from({ length: 120_000 }, () => 0) };
  const takesMs = (schema: z.ZodType) => {
    const startedAt = performance.now();
    schema.parse(value);
    return performance.now() - startedAt;
  };
  // In turn: the machine is as busy for one as for the other.
  const [checked, read] = [variables(), z.record(z.string(), z.json())];
  const times = Array.from({ length: 10 }, () => ({ checkMs: takesMs(checked), readMs: takesMs(read) }));
  const quickestMs = Math.min(...times.map(({ checkMs }) => checkMs));
  expect(quickestMs).toBeLessThan(2.5 * Math.min(...times.map(({ readMs }) => readMs)));
});

test('what was recorded before is handed on', () => {
  expect(knownVariables().parse({ size: 1e308 })).toEqual({ size: 1e308 });
});
