import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { countOf, renderTable } from './table.ts';

test('columns are as wide as their widest cell; numbers stand at the right, also where one is not known', () => {
  const rows = [
    ['assistants', 'folders', 12_300],
    ['accounts', 'api-keys', 7],
    ['accounts', 'ledger', null],
  ];
  const table = renderTable(['SERVICE', 'PROJECTION', 'LAG'], rows, process.stdout);
  expect(stripVTControlCharacters(table).split('\n')).toEqual([
    'SERVICE     PROJECTION     LAG',
    'assistants  folders     12,300',
    'accounts    api-keys         7',
    'accounts    ledger           ?',
  ]);
});

test('a row that is too short has empty cells, and a count is of one or of several', () => {
  const table = renderTable(['A', 'B'], [['x'], ['y', 'z']], process.stdout);
  expect(stripVTControlCharacters(table).split('\n')).toEqual(['A  B', 'x', 'y  z']);
  expect([countOf(1, 'row'), countOf(12_300, 'row')]).toEqual(['1 row', '12,300 rows']);
});
