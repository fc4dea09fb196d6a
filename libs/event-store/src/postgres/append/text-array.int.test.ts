import fc from 'fast-check';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { newDatabase } from '../testing.fixture.ts';
import { textArray } from './text-array.ts';

/** Texts that an append takes: neither NUL nor lone surrogates. */
const text = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.string({
      unit: fc.constantFrom('"', '\\', 'n', 'u', '{', '}', ',', '\n', '\u0001', ' ', 'null'),
      maxLength: 8,
    }),
  )
  .filter((value) => !value.includes('\0') && value.isWellFormed());

test('Postgres reads the texts that were given', async () => {
  const client = new pg.Client({ connectionString: await newDatabase() });
  await client.connect();
  onTestFinished(() => client.end());
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text), { maxLength: 10 }), async (texts) => {
      const { rows } = await client.query('select $1::text[] as texts', [textArray(texts)]);
      expect(rows).toEqual([{ texts }]);
    }),
    { numRuns: 500 },
  );
});

test('plain texts are written in one go', () => {
  expect(textArray(['folder-1', null, 'a "b"'])).toBe('{"folder-1",null,"a \\"b\\""}');
});
