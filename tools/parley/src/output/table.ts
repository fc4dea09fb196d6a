import { styleText } from 'node:util';

/** Columns as wide as their widest cell, two blanks between them; numbers stand at the right, `?` for one that nobody knows. */
export function renderTable(
  headers: readonly string[],
  rows: readonly (readonly Cell[])[],
  stream: NodeJS.WriteStream,
): string {
  const cells = rows.map((row) => row.map(formatCell));
  const widths = headers.map((header, column) =>
    Math.max(header.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const isRight = headers.map(
    (_, column) => rows.length > 0 && rows.every((row) => typeof row[column] !== 'string'),
  );
  const renderRow = (row: readonly string[]) =>
    widths
      .map((width, column) => {
        const cell = row[column] ?? '';
        return isRight[column] ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return [styleText('dim', renderRow(headers), { stream }), ...cells.map(renderRow)].join('\n');
}

/** Null is a number that is not known. */
type Cell = string | number | null;

const formatCell = (cell: Cell): string => (typeof cell === 'number' ? formatCount(cell) : (cell ?? '?'));

/** `1 row`, `12,300 rows` */
export const countOf = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

/** 12,300 */
export const formatCount = (count: number): string => Math.round(count).toLocaleString('en-US');
