import { updateFolder } from '@parley/contracts';
import { expect, test } from 'vitest';
import { revertBy } from './revert.ts';

const revert = revertBy(updateFolder);

test('the operation gets the id and the earlier values, null for what was not set', () => {
  const change = {
    id: '12',
    before: { name: 'Sales', updated_at: '1' },
    after: { name: 'Leads', color: 'teal', updated_at: '2' },
    now: {},
  };
  expect(revert(change)).toEqual({
    operation: updateFolder,
    input: { id: '12', name: 'Sales', color: null },
  });
});

test('what the operation cannot set is named', () => {
  expect(revert({ id: '12', before: {}, after: { status: 'failed' }, now: {} })).toBe(
    'Nobody can set status.',
  );
});

test('an operation that takes no body can put nothing back', () => {
  const { body: _, params: __, ...bare } = updateFolder;
  expect(revertBy(bare)({ id: '12', before: { name: 'A' }, after: { name: 'B' }, now: {} })).toMatch(
    /^Nobody can set/,
  );
  expect(revertBy(bare)({ id: '12', before: {}, after: {}, now: {} })).toEqual({
    operation: bare,
    input: {},
  });
});
