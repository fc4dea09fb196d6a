import { expect, test } from 'vitest';
import { segmentsOf } from './segments.ts';

test.each([
  ['a short text', 'Hello Ada', 1],
  ['160 characters of the GSM alphabet', 'ä'.repeat(160), 1],
  ['161 of them', 'a'.repeat(161), 2],
  ['306 of them', 'Ω'.repeat(306), 2],
  ['307 of them', '\n'.repeat(307), 3],
  ['the longest text that is taken', 'x'.repeat(1_600), 11],
  ['80 characters that the alphabet writes with an escape', '€'.repeat(80), 1],
  ['81 of them', '€'.repeat(81), 2],
  [
    'such a character where one septet is left, which it does not fit into',
    `${'a'.repeat(152)}[${'a'.repeat(152)}`,
    3,
  ],
  ['70 characters, one of which is not in the alphabet', `${'a'.repeat(69)}ê`, 1],
  ['71 such', `${'a'.repeat(70)}ê`, 2],
  ['135 such', `${'a'.repeat(134)}ê`, 3],
  ['35 emojis, of two units each', '🌱'.repeat(35), 1],
  ['66 emojis, none of which is split', '🌱'.repeat(66), 2],
  ['67 emojis', '🌱'.repeat(67), 3],
  ['a letter with 1,599 accents above it, which is read as one character', `e${'\u0301'.repeat(1_599)}`, 24],
  ['the longest text that is taken, with one such character', `ł${'x'.repeat(1_599)}`, 24],
])('the carrier makes %s into so many segments', (_, text, segments) =>
  expect(segmentsOf(text)).toBe(segments),
);

test('each character of the GSM alphabet takes as much as the standard says', () => {
  const written = Array.from({ length: 0x2100 }, (_, code) => String.fromCharCode(code));
  const fitsAlone = (times: number) => (character: string) => segmentsOf(character.repeat(times)) === 1;
  // Without the escape itself, which is no character.
  expect(written.filter(fitsAlone(160))).toHaveLength(127);
  expect(written.filter(fitsAlone(80)).filter((one) => !fitsAlone(160)(one))).toHaveLength(10);
});
