import { expect, test } from 'vitest';
import { z } from 'zod';
import { spoken, textOf } from './spoken.ts';

const saidIn = (message: object) => textOf(z.object(spoken).parse(message));

test('an order is told with what was written to it, and what is ordered', () => {
  const rye = { product_retailer_id: 'rye-1', quantity: 2, item_price: 4.5, currency: 'EUR' };
  const roll = { product_retailer_id: 'roll', quantity: '12' };
  const product_items = [rye, null, roll];
  expect(saidIn({ order: { text: 'By Friday?', product_items } })).toBe(
    'By Friday?\n2 × rye-1 (4.5 EUR)\n12 × roll',
  );
  expect(saidIn({ order: { text: '', product_items } })).toBe('2 × rye-1 (4.5 EUR)\n12 × roll');
});

test('a place is told with its name and address, as far as it has any, and where it is', () => {
  const location = { latitude: 52.5, longitude: 13.25 };
  expect(saidIn({ location })).toBe('52.5, 13.25');
  expect(saidIn({ location: { ...location, name: 'Home', address: 'Weg 1' } })).toBe(
    'Home\nWeg 1\n52.5, 13.25',
  );
});

test('people whom a customer names are told with their numbers', () => {
  const eve = { name: { formatted_name: 'Eve Doe', first_name: 'Eve' }, phones: [{ phone: '+49 170 1' }] };
  expect(saidIn({ contacts: [eve, 'x', { name: { formatted_name: 'Bob' } }] })).toBe(
    'Eve Doe, +49 170 1\nBob',
  );
});

test('a form is told with what the customer filled in, field by field', () => {
  const filledIn = (response_json: string) =>
    textOf({ interactive: { nfm_reply: { response_json, body: 'Sent' } } });
  const fields = {
    flow_token: 't-1',
    name: 'Eve',
    seats: 2,
    extras: ['wine', 'cake'],
    values: { city: 'Ulm' },
  };
  expect(filledIn(JSON.stringify(fields))).toBe(
    'name: Eve\nseats: 2\nextras: ["wine","cake"]\nvalues: {"city":"Ulm"}',
  );
  expect(filledIn('{"name":"E\\u0000ve"}')).toBe('name: Eve');
  expect(filledIn('Eve, two seats')).toBe('Eve, two seats');
  expect(filledIn(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)).toMatch(/^{"a":\[/);
  for (const nothing of ['{"flow_token":"t-1"}', '{}', '']) expect(filledIn(nothing)).toBe('Sent');
});

test('what has no words and comes to none has none', () => {
  for (const nothing of [{ order: 'x' }, { location: {} }, { contacts: [] }, { contacts: [{}] }, {}])
    expect(saidIn(nothing)).toBeNull();
});
