import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { keyring, newKey, SealBroken, SealKeyMissing } from './index.ts';

const older = newKey();
const newer = newKey();
const ring = (text?: string) => keyring().parse(text);

test('what is sealed can be opened at its place, and shows nothing', () => {
  const keys = ring(newer);
  const sealed = keys.seal('päss word', 'sip-trunk-7');
  expect(keys.open(sealed, 'sip-trunk-7').reveal()).toBe('päss word');
  expect(keys.open(keys.seal('', 'a'), 'a').reveal()).toBe('');
  expect(sealed).not.toContain('word');
  expect(keys.seal('päss word', 'sip-trunk-7')).not.toBe(sealed);
  expect(inspect(keys, { depth: 9, showHidden: true }) + JSON.stringify(keys)).not.toContain(
    newer.split(':')[1] ?? '',
  );
});

test('keys rotate: the newest seals, the older ones still open', () => {
  const sealed = ring(older).seal('secret', 'a');
  const rotated = ring(`${newer}, ${older}`);
  expect(rotated.open(sealed, 'a').reveal()).toBe('secret');
  expect(rotated.seal('secret', 'a')).toContain(`.${newer.split(':')[0]}.`);
  expect(() => ring(newer).open(sealed, 'a')).toThrow(SealKeyMissing);
});

test('a changed, moved or cut secret is not opened', () => {
  const keys = ring(newer);
  const sealed = keys.seal('secret', 'sip-trunk-7');
  const [format, id, text = ''] = sealed.split('.');
  const flipped = `${text.slice(0, 20)}${text[20] === 'A' ? 'B' : 'A'}${text.slice(21)}`;
  for (const broken of [`${format}.${id}.${flipped}`, sealed.slice(0, 20), `${format}.${id}.`, '', 'secret'])
    expect(() => keys.open(broken, 'sip-trunk-7'), broken).toThrow(SealBroken);
  expect(() => keys.open(sealed, 'sip-trunk-8')).toThrow(SealBroken);
});

test.each(['k', 'k:', 'k:c2hvcnQ=', `K 1:${'A'.repeat(44)}`, `${newer},k:x`])(
  '"%s" is no list of keys',
  (text) => expect(keyring().safeParse(text).success).toBe(false),
);

test('another key under the id of the one that sealed is told as what it is', () => {
  const another = `${older.split(':')[0]}:${newer.split(':')[1]}`;
  const sealed = ring(older).seal('secret', 'a');
  expect(() => ring(another).open(sealed, 'a')).toThrow(
    `The key "${older.split(':')[0]}" of SECRETS_KEYS does not open the secret: it is another one`,
  );
  const both = keyring().safeParse(`${another},${older}`);
  expect(both.error?.issues.map(({ message }) => message)).toEqual(['Must give each key an id of its own.']);
});

test('without keys everybody can open it', () => {
  expect(ring().open(ring('').seal('secret', 'a'), 'a').reveal()).toBe('secret');
});
