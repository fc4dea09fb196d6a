import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Characters of a line that is held in memory: far more than an event or a log line has. */
export const maxLineLength = 16 * 1024 * 1024;

/**
 * Cuts a text that comes in pieces into lines, at line feeds alone, and where one becomes too long. `readline` would cut at
 * U+2028 and U+2029 as well, which JSON leaves in its texts as they are.
 */
class LineCutter {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  add(piece: Buffer | string): string[] {
    const lines = (this.#rest + (typeof piece === 'string' ? piece : this.#decoder.write(piece))).split('\n');
    this.#rest = (lines.at(-1) ?? '').length > maxLineLength ? '' : (lines.pop() ?? '');
    return lines.map(withoutReturn);
  }

  /** What came behind the last line feed. */
  end(): string[] {
    const last = this.#rest + this.#decoder.end();
    return last === '' ? [] : [withoutReturn(last)];
  }
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);

/** Calls back with each line, the last one when the stream has ended. */
export function onLines(stream: Readable, onLine: (line: string) => void): void {
  const cutter = new LineCutter();
  stream.on('data', (piece: Buffer | string) => cutter.add(piece).forEach(onLine));
  stream.on('end', () => cutter.end().forEach(onLine));
}

/** The lines of something long, a piece of it at a time. */
export async function* linesOf(input: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  const cutter = new LineCutter();
  for await (const piece of input) yield* cutter.add(piece);
  yield* cutter.end();
}
