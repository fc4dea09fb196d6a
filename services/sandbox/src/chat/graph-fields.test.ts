import { expect, test } from 'vitest';
import { selectFields } from './graph-fields.ts';

const account = {
  id: '1',
  name: 'Acme',
  currency: 'USD',
  phone_numbers: { data: [{ id: '2', verified_name: 'Acme', status: 'CONNECTED' }] },
};

test('only the fields asked for are shown, and the id always', () => {
  expect(selectFields(account, 'name,unheard_of', [])).toEqual({ name: 'Acme', id: '1' });
});

test('a nested selection narrows the edge', () => {
  for (const fields of ['id,phone_numbers{id,status}', 'id,phone_numbers.limit(100){id,status}'])
    expect(selectFields(account, fields, [])).toEqual({
      id: '1',
      phone_numbers: { data: [{ id: '2', status: 'CONNECTED' }] },
    });
});

test('without a selection the defaults are shown', () => {
  expect(selectFields(account, null, ['name'])).toEqual({ name: 'Acme', id: '1' });
});
