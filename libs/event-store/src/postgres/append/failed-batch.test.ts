import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { request } from '../../contract/requests.contract.ts';
import { type AppendRequest, StoreUnavailable } from '../../port.ts';
import { prepareAppend } from '../../prepare-append.ts';
import { afterFailure, BatchFailed } from './failed-batch.ts';
import type { PendingAppend } from './pending-append.ts';

const pending = (overrides: Partial<AppendRequest> = {}, runsAgain = 0): PendingAppend => ({
  ...prepareAppend(request(overrides)),
  resolve: () => undefined,
  reject: () => undefined,
  giveUpAt: 0,
  mayBeWritten: false,
  runsAgain,
});

function postgresError(code: string): pg.DatabaseError {
  const error = new pg.DatabaseError('no', 2, 'error');
  error.code = code;
  return error;
}

const failed = (code: string) => new BatchFailed(postgresError(code), false, false);

describe('after a failed batch', () => {
  test('that somebody else’s move caused, everything runs again, and gives up in the end', () => {
    const [fresh, tired] = [pending(), pending({}, 5)];
    const next = afterFailure([fresh, tired], failed('40001'), 5);
    expect(next.again).toEqual([fresh]);
    expect(next.rejected).toEqual([{ pending: tired, error: new StoreUnavailable('not-written') }]);
  });

  test.each(['55P03', '57014', '53100', '53300', '25006', '58030'])(
    'for want of a lock or of resources (%s), everybody is told so',
    (code) => {
      const batch = [pending(), pending()];
      const next = afterFailure(batch, failed(code), 5);
      expect(next.rejected.map((one) => one.pending)).toEqual(batch);
      expect(next.rejected[0]?.error).toMatchObject({ name: 'StoreUnavailable', outcome: 'not-written' });
    },
  );

  test('that one append caused, halves find out which', () => {
    const batch = [pending(), pending(), pending()];
    expect(afterFailure(batch, failed('23505'), 5).halves).toEqual([batch.slice(0, 2), batch.slice(2)]);
    const failure = failed('23505');
    expect(afterFailure(batch.slice(0, 1), failure, 5).rejected).toEqual([
      { pending: batch[0], error: failure.cause },
    ]);
  });

  test('that certainly was not written, everything runs again', () => {
    const batch = [pending(), pending({ events: [] })];
    const next = afterFailure(batch, new BatchFailed(new Error('gone'), false, true), 5);
    expect(next.again).toEqual(batch);
    expect(next.mayBeWritten).toEqual([]);
  });

  test('of unknown outcome, what can be recognised in the log runs again, and the rest is told', () => {
    const command = { commandId: '0190c7a0-7d2c-7a53-b2a5-6d1d6e1c0a11', fingerprint: '', reply: null };
    const [withEvents, withCommand, withNeither] = [
      pending(),
      pending({ events: [], command }),
      pending({ events: [] }),
    ];
    const batch = [withEvents, withCommand, withNeither];
    const next = afterFailure(batch, new BatchFailed(new Error('gone'), true, true), 5);
    expect(next.again).toEqual([withEvents, withCommand]);
    expect(next.mayBeWritten).toEqual(batch);
    expect(next.rejected).toEqual([{ pending: withNeither, error: new StoreUnavailable('unknown') }]);
  });
});
