import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { partsOf } from './reply-parts.ts';

const long = (length: number) => 'x'.repeat(length);

describe('a reply', () => {
  test('is one message where that holds it', () => {
    expect(partsOf('At nine.')).toEqual(['At nine.']);
    expect(partsOf('')).toEqual(['']);
    expect(partsOf(long(4_096))).toEqual([long(4_096)]);
    const full = `${long(3_000)} ${long(1_095)}`;
    expect(partsOf(full)).toEqual([full]);
  });

  test.each([
    ['paragraph', `${long(3_000)}\n\n${long(500)}\n${long(500)}. ${long(500)}`, 3_000],
    ['line', `${long(3_000)}\n${long(500)}. ${long(1_000)}`, 3_000],
    ['sentence', `${long(3_000)}. ${long(500)} ${long(1_000)}`, 3_001],
    ['word', `${long(3_000)} ${long(2_000)}`, 3_000],
    ['paragraph of some length', `${long(100)}\n\n${long(3_000)}\n${long(2_000)}`, 3_102],
    ['word, however much room there is before the next one', `${long(4_096)}   ${long(9)}`, 4_096],
    ['word that is longer than a message', long(5_000), 4_096],
  ])('that is longer is several, of which each ends with a %s', (_, text, length) => {
    const parts = partsOf(text);
    expect(parts.map((part) => part.length)).toEqual([length, expect.any(Number)]);
    expect(parts.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
  });

  test('does not end within a character', () => {
    const text = `x${'😀'.repeat(3_000)}`;
    expect(partsOf(text).join('')).toBe(text);
    expect(partsOf(text).every((part) => part.isWellFormed() && part.length <= 4_096)).toBe(true);
  });

  test('is four messages at most', () => expect(partsOf(`${long(4_000)} `.repeat(9))).toHaveLength(4));

  test('loses nothing but white space, and no message of it is longer than the platform takes', () => {
    const words = fc.array(fc.stringMatching(/^[a-z😀]{1,3000}[ \n.]{0,3}$/u), { maxLength: 9 });
    fc.assert(
      fc.property(words, (said) => {
        const text = said.join('').slice(0, 9_000).toWellFormed();
        const parts = partsOf(text);
        expect(parts.every((part) => part.length <= 4_096)).toBe(true);
        if (parts.length < 4) expect(parts.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
      }),
    );
  });
});
