import { describe, expect, test } from 'vitest';
import { prepareAppend } from '../../prepare-append.ts';
import { type AppendRow, readOutcome, writtenBefore } from './batch-outcome.ts';

const at = '2026-11-22 10:00:00.000000';

const append = (streamId: string, expectedVersion: number, count: number) =>
  prepareAppend({
    streamId,
    category: 'thing',
    accountId: 1,
    events: Array.from({ length: count }, () => ({ type: 'Happened', data: {} })),
    expectedVersion,
    metadata: { correlationId: '', causationId: '', commandId: null, actor: { kind: 'system', id: 'test' } },
  });
const run = [append('a', 3, 2), append('b', 0, 1), append('a', 5, 1), append('a', 6, 1)];

const outcomes = (versions: number[], refusals: AppendRow[3]) => {
  const outcome = readOutcome([10, at, versions, refusals, false, at], run);
  return run.map((_, place) => outcome.resultOf(place));
};

describe('the outcome of a batch with a run to one stream', () => {
  test('counts what the batch itself gives a stream before each append', () => {
    expect(writtenBefore(run)).toEqual([0, 0, 2, 3]);
  });

  test('gives each append its own version and position', () => {
    expect(outcomes([3, 0, 5, 6], null)).toMatchObject([
      { kind: 'appended', version: 5, position: 12 },
      { kind: 'appended', version: 1, position: 13 },
      { kind: 'appended', version: 6, position: 14 },
      { kind: 'appended', version: 7, position: 15 },
    ]);
  });

  test('tells a run that came too late the version as it is', () => {
    const conflict = (actualVersion: number) => ({ kind: 'conflict', actualVersion }) as const;
    expect(outcomes([9, 0, 11, 12], { 1: conflict(9), 3: conflict(11), 4: conflict(12) })).toEqual([
      conflict(9),
      undefined,
      conflict(9),
      conflict(9),
    ]);
  });

  test('gives another try to what fits without those before it', () => {
    const conflict = (actualVersion: number) => ({ kind: 'conflict', actualVersion }) as const;
    expect(outcomes([5, 0, 7, 8], { 1: conflict(5), 3: conflict(7), 4: conflict(8) })).toEqual([
      conflict(5),
      undefined,
      undefined,
      conflict(5),
    ]);
  });
});
