import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { maxLineLength, onLines } from './lines.ts';

async function linesIn(...pieces: readonly Buffer[]): Promise<string[]> {
  const stream = new PassThrough();
  const lines: string[] = [];
  onLines(stream, (line) => lines.push(line));
  for (const piece of pieces) stream.write(piece);
  stream.end();
  await once(stream, 'end');
  return lines;
}

test('a text in a line of a log never looks like the beginning of another line', async () => {
  const line = JSON.stringify({ msg: 'no such name: \u2028{"msg":"forged"}\u2029\u0085' });
  expect(await linesIn(Buffer.from(`${line}\n${line}\n`))).toEqual([line, line]);
});

test('lines come whole however they are cut on the way, the last one also without an end', async () => {
  const bytes = Buffer.from('東京 🏢\r\n\nlast');
  const pieces = Array.from({ length: bytes.length }, (_, index) => bytes.subarray(index, index + 1));
  expect(await linesIn(...pieces)).toEqual(['東京 🏢', '', 'last']);
});

test('a line without an end is given away in parts', async () => {
  const piece = Buffer.alloc(maxLineLength / 4, 'a');
  const lines = await linesIn(piece, piece, piece, piece, piece, piece, Buffer.from('\nlast'));
  expect(lines.map((line) => line.length)).toEqual([5 * piece.length, piece.length, 4]);
});
