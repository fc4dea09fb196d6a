import type { CsvRow } from '@parley/contracts';
import { phoneNumberFault } from '../lead/phone-number.ts';
import { numberColumn } from './columns.ts';
import type { RowError } from './lead-import.ts';

/** A row of the file that can be a lead; `row` is its number in the file, the header row being 1. */
export interface LeadRow {
  readonly row: number;
  readonly phoneNumber: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** What a row of the file says: a lead, why it cannot be one, or nothing (undefined) for an empty row. */
export function readRow(columns: readonly (string | null)[], row: CsvRow): LeadRow | RowError | undefined {
  const fault = (field: string, message: string): RowError => ({ row: row.row, field, message });
  if ('fault' in row) return fault('row', row.fault);
  if (row.cells.every((cell) => cell.trim() === '')) return undefined;
  if (row.cells.slice(columns.length).some((cell) => cell.trim() !== ''))
    return fault('row', 'The row has more cells than the header row.');
  const variables: [string, string][] = [];
  let phoneNumber = '';
  for (const [index, column] of columns.entries()) {
    const cell = row.cells[index] ?? '';
    if (column === numberColumn) phoneNumber = cell.trim();
    else if (column !== null && cell !== '') {
      if (cell.includes('\u0000')) return fault(column, 'The cell must not hold NUL characters.');
      variables.push([column, cell]);
    }
  }
  if (phoneNumber === '') return fault(numberColumn, 'The phone number field is required.');
  const numberFault = phoneNumberFault(phoneNumber);
  if (numberFault !== undefined) return fault(numberColumn, numberFault);
  return { row: row.row, phoneNumber, variables: Object.fromEntries(variables) };
}

export const isLeadRow = (read: LeadRow | RowError): read is LeadRow => 'phoneNumber' in read;
