import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { readyLine } from './ready-line.ts';

test('a stack is ready with its addresses, and with a key where there are demo accounts', () => {
  const facts = { baseUrl: 'http://127.0.0.1:3000', consoleUrl: 'http://127.0.0.1:3000/docs' };
  const line = (more: object) => stripVTControlCharacters(readyLine({ ...facts, ...more }, process.stdout));
  expect(line({})).toBe('ready  http://127.0.0.1:3000  console http://127.0.0.1:3000/docs');
  expect(line({ apiKey: 'parley_x' })).toMatch(/ {2}key parley_x$/);
});
