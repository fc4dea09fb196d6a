import { stripVTControlCharacters } from 'node:util';

/** Data stands beside what it belongs to where so many columns are left for it. */
const leastRoom = 40;

/**
 * A line of stdout, and what belongs to it: on a terminal beside it, or below it behind `indent` where there is no room, cut to
 * the width; all of it in the same line where the output goes elsewhere, or nobody knows how wide the terminal is.
 */
export function withData(
  line: string,
  data: string,
  indent: string,
  paint: (text: string) => string = (text) => text,
): string {
  const { columns, isTTY } = process.stdout;
  if (data === '') return line.trimEnd();
  if (!isTTY || !columns) return `${line}  ${paint(data)}`;
  const room = columns - stripVTControlCharacters(line).length - 2;
  return room < Math.min(leastRoom, data.length)
    ? `${line}\n${indent}${paint(shorten(data, columns - indent.length))}`
    : `${line}  ${paint(shorten(data, room))}`;
}

const shorten = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, Math.max(0, length - 1))}…` : text;
