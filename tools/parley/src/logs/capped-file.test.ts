import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openCappedFile } from './capped-file.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'parley-log-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('a full log is moved aside, so that two files are kept at most', () => {
  const path = join(dir, 'a.log');
  const file = openCappedFile(path, 20);
  for (let n = 0; n < 7; n += 1) file.write(`line ${n} ...`);
  file.close();
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('line 4 ...\nline 5 ...\n');
  expect(readFileSync(path, 'utf8')).toBe('line 6 ...\n');
});

test('a log that somebody moved away goes on in a new one, and no other file is closed for it', () => {
  const path = join(dir, 'a.log');
  const file = openCappedFile(path, 20);
  file.write('line 0 and more ...');
  rmSync(path);
  file.write('line 1 and more ...');
  const others = openSync(join(dir, 'others'), 'w');
  file.write('line 2 and more ...');
  expect(() => fstatSync(others)).not.toThrow();
  closeSync(others);
  file.close();
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('line 1 and more ...\n');
  expect(readFileSync(path, 'utf8')).toBe('line 2 and more ...\n');
});

test('a log goes on where an earlier start ended', () => {
  const path = join(dir, 'a.log');
  for (const line of ['one', 'two']) {
    const file = openCappedFile(path);
    file.write(line);
    file.close();
  }
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
});
