import type { CsvRow, LeadImportEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { columnsOf } from './columns.ts';
import { type AddLeads, beginImport, finishImport, importRows } from './decisions.ts';
import { leadImport, leadImportStreamOf, reportable, showLeadImport } from './lead-import.ts';
import { readRow } from './read-row.ts';

const begun = given(leadImport, ...golden<LeadImportEvent>('LeadImportStarted.v1'));
const half = given(leadImport, ...golden<LeadImportEvent>('LeadImportStarted.v1', 'LeadRowsImported.v1'));
const number = '+14155552671';
const never: AddLeads = () => {
  throw new Error('Nothing is to be added.');
};

describe('an import', () => {
  const beginning = {
    importId: 'i',
    campaignId: 5,
    isOwnCampaign: true,
    header: ['phone_number', ' name ', ''],
  };

  test('begins with the names of its columns', () => {
    expect(beginImport(null, beginning)).toMatchObject({
      events: [{ data: { columns: ['phone_number', 'name', null] } }],
    });
  });

  test('does not begin twice, in another account’s campaign, or without a header row', () => {
    expect(beginImport(begun, beginning)).toMatchObject({ events: [] });
    expect(beginImport(null, { ...beginning, isOwnCampaign: false })).toEqual({ code: 'not_found' });
    expect(beginImport(null, { ...beginning, header: [] })).toMatchObject({
      fields: { body: [expect.any(String)] },
    });
  });

  test('adds what its rows say and reports the others', async () => {
    const rows = [
      { row: 2, cells: [number, 'Ada'] },
      { row: 3, cells: ['12', 'Bob'] },
      { row: 4, cells: ['', ' '] },
      { row: 5, fault: 'The row is not CSV.' },
    ];
    const outcome = await importRows(begun, { chunk: 0, rows }, async (_, leads) => {
      expect(leads).toEqual([{ row: 2, phoneNumber: number, variables: { first_name: 'Ada' } }]);
      return { created: 1, skipped: 0 };
    });
    expect(outcome).toMatchObject({
      events: [{ data: { chunk: 0, last_row: 5, created: 1, skipped: 0, failed: 2 } }],
      reply: { created: 1, skipped: 0, failed: 2 },
    });
  });

  test('adds nothing to a campaign that was deleted meanwhile, and says so of each row', async () => {
    const rows = [
      { row: 2, cells: [number, 'Ada'] },
      { row: 3, cells: ['12', 'Bob'] },
      { row: 4, cells: ['', ' '] },
    ];
    expect(await importRows(begun, { chunk: 0, rows }, async () => undefined)).toMatchObject({
      events: [
        {
          data: {
            ...{ created: 0, skipped: 0, failed: 2 },
            errors: [
              { row: 2, field: 'campaign_id', message: 'The campaign was deleted meanwhile.' },
              { row: 3, field: 'phone_number' },
            ],
          },
        },
      ],
    });
  });

  test('takes its chunks in order, and none after its end', async () => {
    const rows = [{ row: 2, cells: [number] }];
    expect(await importRows(half, { chunk: 0, rows }, never)).toMatchObject({ events: [] });
    expect(await importRows(half, { chunk: 2, rows }, never)).toEqual({ code: 'invalid' });
    expect(await importRows(null, { chunk: 0, rows }, never)).toEqual({ code: 'not_found' });
    const over = given(
      { ...leadImport, initialState: half },
      ...golden<LeadImportEvent>('LeadImportFinished.v1'),
    );
    expect(await importRows(over, { chunk: 1, rows }, never)).toEqual({ code: 'invalid' });
    expect(finishImport(over)).toMatchObject({
      events: [],
      reply: { data: { created: 498, skipped: 1, failed: 1 } },
    });
    expect(finishImport(null)).toEqual({ code: 'not_found' });
  });
});

describe('the header row', () => {
  test.each<[string, string[], string]>([
    ['of nothing', ['', ' '], 'body'],
    ['without numbers', ['phone'], 'phone_number'],
    ['with a column twice', ['phone_number', 'a', ' a'], 'body'],
    ['with a NUL', ['phone_number', 'a\u0000'], 'body'],
    ['with 201 columns', ['phone_number', ...Array.from({ length: 200 }, (_, n) => `c${n}`)], 'body'],
    ['of long names', ['phone_number', ...Array.from({ length: 40 }, (_, n) => `${n}`.repeat(127))], 'body'],
  ])('%s is refused', (_, header, field) => {
    expect(columnsOf(header)).toMatchObject({ code: 'invalid', fields: { [field]: [expect.any(String)] } });
  });
});

test('a row names its variables by the header row and leaves empty cells out', () => {
  const columns = ['a', 'phone_number', null, 'toString'];
  expect(readRow(columns, { row: 9, cells: [' x ', ` ${number} `, 'ignored', 'y', ' '] })).toEqual({
    row: 9,
    phoneNumber: number,
    variables: { a: ' x ', toString: 'y' },
  });
  expect(readRow(columns, { row: 9, cells: ['', number] })).toEqual({
    row: 9,
    phoneNumber: number,
    variables: {},
  });
});

test('the report is cut to a thousand errors, and to what an answer can hold', () => {
  const errors = Array.from({ length: 700 }, (_, row) => ({ row, field: 'phone_number', message: 'm' }));
  expect(reportable([], errors)).toHaveLength(700);
  expect(reportable(errors, errors)).toHaveLength(300);
  const long = errors.map((error) => ({ ...error, field: '🏢'.repeat(250) }));
  const bytes = Buffer.byteLength(JSON.stringify(reportable([], long)));
  expect(bytes).toBeLessThan(300 * 1024);
});

test.each<[string, CsvRow, string, string]>([
  ['that is no CSV', { row: 2, fault: 'The row is not CSV.' }, 'row', 'The row is not CSV.'],
  [
    'with more cells than the header row',
    { row: 2, cells: [number, 'Ada', 'x'] },
    'row',
    'The row has more cells than the header row.',
  ],
  [
    'with a NUL character',
    { row: 2, cells: [number, 'A\u0000da'] },
    'name',
    'The cell must not hold NUL characters.',
  ],
  [
    'without a number',
    { row: 2, cells: [' ', 'Ada'] },
    'phone_number',
    'The phone number field is required.',
  ],
])('a row %s is reported by its column', (_, row, field, message) =>
  expect(readRow(['phone_number', 'name'], row)).toEqual({ row: 2, field, message }),
);

test('a row without a cell is none', () =>
  expect(readRow(['phone_number', 'name'], { row: 2, cells: [] })).toBeUndefined());

test('operators see how far an import has come, and nothing of one that is not there', () => {
  expect(showLeadImport(null)).toBeNull();
  expect(showLeadImport(half)).toMatchObject({
    campaign_id: 5,
    is_finished: false,
    errors: expect.any(Array),
  });
  expect(leadImportStreamOf('0193e2a0-0000-7000-8000-000000000004')).toMatch(/0193e2a0/);
  expect(leadImportStreamOf('../12')).toBeUndefined();
  expect(
    given(leadImport, ...golden<LeadImportEvent>('LeadRowsImported.v1', 'LeadImportFinished.v1')),
  ).toBeNull();
});
