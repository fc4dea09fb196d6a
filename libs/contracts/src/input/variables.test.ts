import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLead } from '../operations/leads.ts';
import { fieldErrors } from './field-errors.ts';
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

test('the places of a list are not named: each would cost ten times what all else about it does', () => {
  const named = vi.spyOn(Object, 'entries');
  onTestFinished(() => named.mockRestore());
  expect(isTaken([{ deep: [0, 1] }])).toBe(true);
  const asked = named.mock.calls.map(([value]) => value);
  expect(asked).toContainEqual({ deep: [0, 1] });
  expect(asked.filter(Array.isArray)).toEqual([]);
});

test('what was recorded before is handed on', () => {
  expect(knownVariables().parse({ size: 1e308 })).toEqual({ size: 1e308 });
});
