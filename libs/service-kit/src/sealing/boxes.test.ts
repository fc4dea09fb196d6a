import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { boxesOf, openBox, sealBox } from './boxes.ts';

const [ada, bob] = [createSecretKey(Buffer.alloc(32, 1)), createSecretKey(Buffer.alloc(32, 2))];

test('a box opens with all of its keys, at its place, unchanged, and in no other way', () => {
  const box = sealBox([ada, bob], 'lead-12/1', 'secret');
  expect(openBox([ada, bob], 'lead-12/1', box)).toBe('secret');
  expect(() => openBox([ada], 'lead-12/1', box)).toThrow();
  expect(() => openBox([bob, ada], 'lead-12/1', box)).toThrow();
  expect(() => openBox([ada, bob], 'lead-12/2', box)).toThrow();
  const other = box.startsWith('A') ? 'B' : 'A';
  expect(() => openBox([ada, bob], 'lead-12/1', `${other}${box.slice(1)}B`)).toThrow();
  expect(openBox([ada], '', sealBox([ada], '', ''))).toBe('');
});

test('a box without a key is none, and a payload that holds none has none', () => {
  expect(() => sealBox([], 'lead-12/1', 'secret')).toThrow(TypeError);
  expect(boxesOf({ name: 'Ada' })).toEqual([]);
});
