import { afterEach, expect, test } from 'vitest';
import { withData } from './with-data.ts';

const { columns, isTTY } = process.stdout;
const terminal = (width: number) => Object.assign(process.stdout, { columns: width, isTTY: true });
afterEach(() => void Object.assign(process.stdout, { columns, isTTY }));

const line = '\u001b[2m12:00\u001b[22m  FolderCreated';
const data = `name="${'x'.repeat(60)}"`;

test('data stands beside its line, cut to the width of the terminal', () => {
  terminal(100);
  expect(withData(line, data, '  ')).toBe(`${line}  ${data}`);
  terminal(70);
  expect(withData(line, data, '  ')).toBe(`${line}  ${data.slice(0, 47)}…`);
});

test('data of which next to nothing would be left stands below its line', () => {
  terminal(50);
  expect(withData(line, data, '│  ')).toBe(`${line}\n│  ${data.slice(0, 46)}…`);
  expect(withData(line, 'id=1', '│  ')).toBe(`${line}  id=1`);
  expect(withData(line, '', '│  ')).toBe(line);
});

test('all of it is in the line where the output is no terminal', () => {
  Object.assign(process.stdout, { columns: 50, isTTY: false });
  expect(withData(line, data, '  ')).toBe(`${line}  ${data}`);
});

test('all of it is in the line where a terminal does not tell its width', () => {
  terminal(0);
  expect(withData(line, data, '  ')).toBe(`${line}  ${data}`);
});
