import fc from 'fast-check';
import { expect, test } from 'vitest';
import { includesText } from './includes-text.ts';

/** More than is left to the library. */
const long = 2_000;

test('a text has a part in it where it has, however long they are', () => {
  const few = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(few, few, fc.nat(8), fc.nat(long), (ends, repeated, before, from) => {
      const text = ends.repeat(before) + repeated.repeat(long) + ends;
      for (const part of [text.slice(from), text.slice(from, from + long), `${text.slice(from)}a`])
        expect(includesText(text, part)).toBe(text.includes(part));
    }),
    { numRuns: 300 },
  );
});

test('a part that nearly is in a text everywhere takes no longer than any other', () => {
  const part = `${'a'.repeat(300)}b${'a'.repeat(100_000)}`;
  for (let time = 0; time < 10; time += 1) expect(includesText('a'.repeat(250_000 + time), part)).toBe(false);
});
