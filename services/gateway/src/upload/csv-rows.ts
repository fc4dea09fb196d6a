import type { Readable } from 'node:stream';
import type { CsvRow } from '@parley/contracts';
import { type CsvError, parse } from 'csv-parse';
import { parse as parseText } from 'csv-parse/sync';

/** The longest row, in bytes as JSON. */
const maxRowBytes = 64 * 1024;
/**
 * The longest record that the parser keeps, in bytes: a quote that is never closed would make the rest of the file
 * one record.
 */
const maxRecordBytes = 256 * 1024;

/** What counts as CSV, whatever the delimiter. */
const format = {
  bom: true,
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  relax_quotes: true,
  skip_records_with_error: true,
};

/**
 * The rows of a CSV file in UTF-8, with or without a byte order mark and with any line ends, numbered from 1. A row
 * that is not valid CSV has a fault in place of cells; behind one that is too long nothing more comes. Closes the
 * source.
 */
export async function* readCsvRows(source: Readable, delimiter = ','): AsyncGenerator<CsvRow> {
  const faults: CsvRow[] = [];
  let row = 0;
  let isUnending = false;
  const parser = parse({
    ...format,
    delimiter,
    max_record_size: maxRecordBytes,
    // The row number is put in front as a further cell.
    on_record: (cells: string[]) => {
      if (isUnending) return null;
      row += 1;
      return [String(row), ...cells];
    },
    on_skip: (error) => {
      if (isUnending) return undefined;
      row += 1;
      isUnending = error?.code === 'CSV_MAX_RECORD_SIZE';
      faults.push({ row, fault: faultOf(error) });
      return undefined;
    },
  });
  source.on('error', (error) => parser.destroy(error)).pipe(parser);
  try {
    // Without columns a record is a list of texts.
    for await (const [number, ...cells] of parser as AsyncIterable<string[]>) {
      while (faults[0] && faults[0].row < Number(number)) yield* faults.splice(0, 1);
      yield bounded(Number(number), cells);
    }
    yield* faults;
  } finally {
    parser.destroy();
    source.destroy();
  }
}

/**
 * The comma, then the delimiters that spreadsheets write where it is the decimal sign, and that text copied from a
 * spreadsheet has.
 */
const delimiters = [',', ';', '\t'];

/** The delimiter of a file, by its beginning: the one by which the header row has the column; the comma where none is. */
export function delimiterOf(beginning: string, column: string): string {
  const hasColumn = (delimiter: string): boolean => {
    const [header = []]: string[][] = parseText(beginning, { ...format, delimiter, to: 1 });
    return header.some((cell) => cell.trim() === column);
  };
  return delimiters.find(hasColumn) ?? ',';
}

const bounded = (row: number, cells: string[]): CsvRow =>
  Buffer.byteLength(JSON.stringify(cells)) <= maxRowBytes
    ? { row, cells }
    : { row, fault: 'The row is longer than 64 KiB.' };

function faultOf(error: CsvError | undefined): string {
  switch (error?.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'A quote is opened and never closed; nothing behind it was read.';
    case 'CSV_MAX_RECORD_SIZE':
      return 'The row is longer than 256 KiB, perhaps because a quote is never closed; it was read no further.';
    default:
      return 'The row is not CSV.';
  }
}

const maxRowsPerChunk = 500;
const maxChunkBytes = 96 * 1024;

/**
 * Groups rows into chunks that each fit into one message of the bus. The same file always gives the same chunks, so
 * that a repeated upload can go on.
 */
export async function* inChunks(rows: AsyncIterable<CsvRow>): AsyncGenerator<CsvRow[]> {
  let chunk: CsvRow[] = [];
  let bytes = 0;
  for await (const row of rows) {
    const size = Buffer.byteLength(JSON.stringify(row));
    if (chunk.length > 0 && (chunk.length === maxRowsPerChunk || bytes + size > maxChunkBytes)) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(row);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}
