import { createHash } from 'node:crypto';
import { serviceNames } from '@parley/contracts';
import { golden } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { LineCheck } from './check-lines.ts';

const metadata = {
  correlation_id: 'request-1',
  causation_id: 'command-1',
  command_id: null,
  actor: { kind: 'api_key', id: '1' },
};
const event = (change: object = {}, [type, version]: readonly [string, number] = ['FolderCreated', 1]) =>
  JSON.stringify({
    service: 'assistants',
    event_id: '0193e2a0-0000-7000-8000-000000000001',
    stream_id: 'folder-12',
    stream_version: version,
    category: 'folder',
    account_id: 3,
    ...golden<{ type: string; data: object }>(`${type}.v1`)[0],
    schema_version: 1,
    metadata,
    recorded_at: `2026-11-21T09:30:0${version}.000000Z`,
    ...change,
  });
const created = event();
const renamed = event({}, ['FolderRenamed', 2]);
const name = JSON.stringify({
  service: 'assistants',
  name: { scope: 'folder-name:3', key: 'Sales', owner: 'folder-12' },
});
/** What each service ends with. */
const ids = serviceNames.map((service) =>
  JSON.stringify({ service, next_ids: service === 'assistants' ? { folder_ids: 13 } : {} }),
);

const end = (lines: readonly string[], change: object = {}) =>
  JSON.stringify({
    end: {
      account_id: 3,
      events: lines.filter((line) => line.includes('event_id')).length,
      sha256: createHash('sha256')
        .update(lines.map((line) => `${line}\n`).join(''))
        .digest('hex'),
      ...change,
    },
  });

function check(...lines: readonly string[]): LineCheck {
  const checked = new LineCheck();
  for (const line of lines) checked.add(line);
  checked.finish();
  return checked;
}
const whole = (lines: readonly string[], change: object = {}) => [
  ...lines,
  ...ids,
  end([...lines, ...ids], change),
];
const exported = (lines: readonly string[], change: object = {}) => check(...whole(lines, change));

describe('a file of an export', () => {
  test('is counted by account and service: its events, streams, names and ids', () => {
    const { accounts } = exported([created, renamed, name]);
    expect(accounts.get(3)?.get('assistants')).toEqual({
      accountId: 3,
      events: 2,
      lastAt: '2026-11-21T09:30:02.000000Z',
      streams: new Map([['folder-12', 2]]),
      names: [{ scope: 'folder-name:3', key: 'Sales', owner: 'folder-12' }],
      nextIds: { folder_ids: 13 },
    });
  });

  test('may hold several accounts, each once', () => {
    const other = [event({ account_id: 4, recorded_at: '2026-11-21T09:00:00.000000Z' })];
    const both = [...whole([created]), ...whole(other, { account_id: 4 })];
    expect([...check(...both).accounts.keys()]).toEqual([3, 4]);
    expect(() => check(...both, ...whole([created]))).toThrow('ends account 3 a second time');
  });

  test('needs its last line, and an account', () => {
    expect(() => check(created)).toThrow('The file is cut off: its last line is missing.');
    expect(() => check(name)).toThrow('The file is cut off');
    expect(() => check()).toThrow('The file holds no account.');
  });

  test('is refused when a line was changed, left out or added', () => {
    const sealed = end([created, renamed]);
    expect(() => check(created, sealed)).toThrow('Line 2 does not vouch for the lines before it');
    expect(() => check(created, renamed.replace('Sales', 'Sold'), sealed)).toThrow('does not vouch');
    expect(() => check(created, renamed, name, sealed)).toThrow('does not vouch');
  });

  test('is refused without what one of the services ends with', () => {
    const lines = [created, ...ids.filter((line) => !line.includes('messaging'))];
    expect(() => check(...lines, end(lines))).toThrow('without what it has in messaging: export it again.');
    const second = [event({ account_id: 4 })];
    expect(() => check(...whole([created]), ...second, end(second, { account_id: 4 }))).toThrow(
      serviceNames.join(', '),
    );
  });

  test('is refused when its end counts other events, or names another account', () => {
    expect(() => exported([created], { events: 2 })).toThrow('Line 7 belongs to another export.');
    expect(() => exported([created], { account_id: 4 })).toThrow('belongs to another export');
  });
});

describe('a line is refused, and told by its number, when it', () => {
  test.each([
    ['is no JSON', '{', 'is not a line of an export'],
    ['is something else', '{"a":1}', 'is not a line of an export'],
    ['is of another account', event({ account_id: 4 }, ['FolderRenamed', 2]), 'belongs to another account'],
    ['is of no account', event({ account_id: null }, ['FolderRenamed', 2]), 'belongs to another account'],
    [
      'is older than the one before it',
      event({ recorded_at: '2026-11-21T09:30:00.000000Z' }, ['FolderRenamed', 2]),
      'was recorded before the one before it',
    ],
    ['leaves a version out', event({}, ['FolderRenamed', 3]), 'is version 3 of folder-12, and 2 is missing'],
    ['is of a type nobody knows', event({ type: 'FolderSunk' }, ['FolderRenamed', 2]), 'is a FolderSunk'],
    ['is of another category', event({ category: 'label' }, ['FolderRenamed', 2]), 'does not know'],
    ['is of a later release', event({ schema_version: 2 }, ['FolderRenamed', 2]), '(version 2) that this'],
    ['breaks its contract', event({ data: { name: 7 } }, ['FolderRenamed', 2]), 'is no valid FolderRenamed'],
  ])('%s', (_, line, message) => {
    expect(() => check(created, line)).toThrow(message);
    expect(() => check(created, line)).toThrow(/^Line 2 .* Nothing was imported\.$/);
  });
});
