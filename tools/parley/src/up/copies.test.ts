import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseCopies } from './copies.ts';

const schema = z.string().transform(parseCopies);

test('copies are named by service', () => {
  expect([...schema.parse(' gateway=2, assistants=3,')]).toEqual([
    ['gateway', 2],
    ['assistants', 3],
  ]);
  expect([...schema.parse('')]).toEqual([]);
});

test.each(['gateway', 'gateway=0', 'gateway=x', 'nobody=2', 'sandbox=2', 'gateway=2,gateway=3'])(
  '"%s" is refused',
  (text) => {
    expect(schema.safeParse(text).success).toBe(false);
  },
);
