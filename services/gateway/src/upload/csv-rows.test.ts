import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { delimiterOf, inChunks, readCsvRows } from './csv-rows.ts';

/** As it comes in pieces of `size` bytes. */
function* pieces(text: string, size: number): Generator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
/** `Array.fromAsync` is younger than the library the sources are checked against. */
async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
const rowsOf = (text: string, size = 65_536) =>
  all(readCsvRows(Readable.from(pieces(text, size), { objectMode: false })));
const cellsOf = async (text: string) =>
  (await rowsOf(text)).map((row) => ('cells' in row ? [row.row, ...row.cells] : [row.row, row.fault]));

const unclosed = 'A quote is opened and never closed; nothing behind it was read.';

describe('rows are numbered as a spreadsheet shows them', () => {
  test.each([
    [
      'with empty lines',
      'a,b\n\n1,2\n',
      [
        [1, 'a', 'b'],
        [2, ''],
        [3, '1', '2'],
      ],
    ],
    [
      'with line breaks in cells',
      'a\n"1\n2"\n3',
      [
        [1, 'a'],
        [2, '1\n2'],
        [3, '3'],
      ],
    ],
    [
      'with a byte order mark and Windows line ends',
      '\ufeffa,b\r\n1,2\r\n',
      [
        [1, 'a', 'b'],
        [2, '1', '2'],
      ],
    ],
    [
      'with old Mac line ends',
      'a\r1\r2',
      [
        [1, 'a'],
        [2, '1'],
        [3, '2'],
      ],
    ],
    [
      'with mixed line ends',
      'a\r\n1\n2\r3',
      [
        [1, 'a'],
        [2, '1'],
        [3, '2'],
        [4, '3'],
      ],
    ],
    [
      'with quotes and commas in quotes',
      'a,b\n"x ""y"", z",2',
      [
        [1, 'a', 'b'],
        [2, 'x "y", z', '2'],
      ],
    ],
    [
      'with quotes where none belong',
      'a\nx"y\n"x" y\nz',
      [
        [1, 'a'],
        [2, 'x"y'],
        [3, '"x" y'],
        [4, 'z'],
      ],
    ],
    [
      'with too few and too many cells',
      'a,b\n1\n1,2,3',
      [
        [1, 'a', 'b'],
        [2, '1'],
        [3, '1', '2', '3'],
      ],
    ],
    [
      'with astral characters',
      'a\n🏢é東',
      [
        [1, 'a'],
        [2, '🏢é東'],
      ],
    ],
    [
      'with a quote that is never closed',
      'a\n1\n"2\n3\n4',
      [
        [1, 'a'],
        [2, '1'],
        [3, unclosed],
      ],
    ],
    ['of an empty file', '', []],
    ['of a lone line end', '\n', [[1, '']]],
  ])('%s', async (_, text, expected) => {
    expect(await cellsOf(text)).toEqual(expected);
    expect(await rowsOf(text, 1)).toEqual(await rowsOf(text));
  });
});

test.each([
  ['phone_number,a;b\n1;2\n', ','],
  ['phone_number\n1;2\n', ','],
  ['phone_number;first_name\r\n1;a, b\r\n', ';'],
  ['\ufeff"phone_number";"first_name"\n', ';'],
  ['phone_number\tfirst_name\n', '\t'],
  ['phone_number;Name, first name\n', ';'],
  ['"Name, first name";"phone_number"\n', ';'],
  ['"Name;\nfirst name";phone_number\n', ';'],
  ['phone_number\tfirst name; title\n', '\t'],
  ['"first name; title",phone_number\n', ','],
  ['first name; title\n', ','],
  ['', ','],
])('a file that begins with %j has its cells parted by %j', (text, delimiter) => {
  expect(delimiterOf(text, 'phone_number')).toBe(delimiter);
});

test('cells that semicolons part may hold commas, and semicolons in quotes', async () => {
  const rows = await all(readCsvRows(Readable.from(pieces('a;b\n1,5;"2;3"\n', 4)), ';'));
  expect(rows).toEqual([
    { row: 1, cells: ['a', 'b'] },
    { row: 2, cells: ['1,5', '2;3'] },
  ]);
});

test('a row too long for a message is a fault, and the next one is read', async () => {
  const rows = await cellsOf(`a\n${'x'.repeat(70_000)}\nb`);
  expect(rows).toEqual([
    [1, 'a'],
    [2, 'The row is longer than 64 KiB.'],
    [3, 'b'],
  ]);
});

test('a quote that swallows the rest of a large file ends the reading, with bounded memory', async () => {
  const rows = await cellsOf(`a\n1\n"${'x\n'.repeat(500_000)}`);
  expect(rows).toHaveLength(3);
  expect(rows[2]).toEqual([3, expect.stringContaining('longer than 256 KiB')]);
});

test.each([64 * 1024, 400_000])(
  'behind a row that is too long to be read nothing is, in whatever pieces the file comes: %d',
  async (size) => {
    const text = `a\n${'x'.repeat(300_000)}\n${'b\n'.repeat(100_000)}`;
    const rows = await rowsOf(text, size);
    expect(rows.length).toBe(2);
    expect(rows[1]).toEqual({ row: 2, fault: expect.stringContaining('it was read no further') });
  },
);

test('any cells come back as they were, in whatever pieces the file comes', async () => {
  const cell = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !/^\ufeff/.test(text));
  const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(table, fc.integer({ min: 1, max: 40 }), async (cells, size) => {
      const quoted = cells.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(','));
      const rows = await rowsOf(`${quoted.join('\r\n')}\r\n`, size);
      expect(rows).toEqual(cells.map((row, index) => ({ row: index + 1, cells: row })));
    }),
    { numRuns: 200 },
  );
});

test('chunks hold every row once, in order, and fit a message', async () => {
  const text = Array.from({ length: 3_000 }, (_, n) => `+1415555${n},${'é'.repeat(n % 90)}`).join('\n');
  const chunks = await all(inChunks(readCsvRows(Readable.from(pieces(text, 999)))));
  expect(chunks.flat().map(({ row }) => row)).toEqual(Array.from({ length: 3_000 }, (_, n) => n + 1));
  for (const chunk of chunks) {
    expect(chunk.length).toBeLessThanOrEqual(500);
    expect(Buffer.byteLength(JSON.stringify(chunk))).toBeLessThan(128 * 1024);
  }
});
