import { expect, test } from 'vitest';
import { operations } from '../index.ts';
import { fieldErrors } from '../input/field-errors.ts';

const names = operations.flatMap(({ name: operation, body }) =>
  ['name', 'nickname', 'display_name'].flatMap((field) => {
    const schema = body?.shape[field];
    return schema ? [{ operation, field, schema }] : [];
  }),
);

test.each(names)(
  '$operation takes no $field of blanks alone, which no list would show',
  ({ field, schema }) => {
    for (const blank of [' ', '\t\n', '\u00a0']) {
      const { error } = schema.safeParse(blank);
      expect(error && Object.values(fieldErrors(error, blank)).flat()).toEqual([
        expect.stringMatching(/required/),
      ]);
    }
    expect(schema.safeParse(` ${field} `).success).toBe(true);
  },
);

test('there are names', () => expect(names.length).toBeGreaterThan(15));
