import { invalidField, type Rejection } from '@parley/contracts';

/** The column that every file must have. */
export const numberColumn = 'phone_number';

const maxColumns = 200;
const maxNameLength = 255;
/** All names together, in characters: each lead repeats them, however short its row is. */
const maxHeaderLength = 8_000;

/** The columns of a header row: their names, null for those without one; or why the file cannot be read. */
export function columnsOf(header: readonly string[]): readonly (string | null)[] | Rejection {
  const columns = header.map((cell) => cell.trim() || null);
  const names = columns.filter((name) => name !== null);
  if (names.length === 0) return invalidField('body', 'The file must have a header row.');
  if (header.length > maxColumns)
    return invalidField('body', `The file must not have more than ${maxColumns} columns.`);
  if (names.join('').length > maxHeaderLength)
    return invalidField(
      'body',
      `The names of the columns must not be longer than ${maxHeaderLength} characters in all.`,
    );
  if (!names.includes(numberColumn))
    return invalidField(numberColumn, 'The header row must have a phone_number column.');
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    return invalidField('body', `The header row has the column ${shown(twice)} more than once.`);
  const unusable = names.find((name) => !isVariableName(name));
  if (unusable !== undefined)
    return invalidField(
      'body',
      `The header row has the column ${shown(unusable)}, which cannot name a variable.`,
    );
  return columns;
}

const isVariableName = (name: string): boolean =>
  name.length <= maxNameLength && !name.includes('\u0000') && name !== '__proto__';

const shown = (name: string): string => JSON.stringify(name.slice(0, 50));
