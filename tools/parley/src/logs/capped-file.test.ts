import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
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

test('a log goes on where an earlier start ended', () => {
  const path = join(dir, 'a.log');
  for (const line of ['one', 'two']) {
    const file = openCappedFile(path);
    file.write(line);
    file.close();
  }
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
});
