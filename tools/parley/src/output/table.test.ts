import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { renderTable } from './table.ts';

test('columns are as wide as their widest cell; numbers stand at the right', () => {
  const rows = [
    ['assistants', 'folders', 12_300],
    ['accounts', 'api-keys', 7],
  ];
  const table = renderTable(['SERVICE', 'PROJECTION', 'LAG'], rows, process.stdout);
  expect(stripVTControlCharacters(table).split('\n')).toEqual([
    'SERVICE     PROJECTION     LAG',
    'assistants  folders     12,300',
    'accounts    api-keys         7',
  ]);
});
