import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { events, serviceNames, upcastMessage } from '../index.ts';
import { recordedEvent } from './recorded-event.ts';

const folder = new URL('../../golden/', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, folder), 'utf8');
const files = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .sort();

const recorded = (event: object) =>
  recordedEvent.parse({
    ...event,
    position: 1,
    stream_id: 's-1',
    stream_version: 1,
    category: 's',
    account_id: 1,
    event_id: 'e',
    metadata: { correlation_id: '', causation_id: '', command_id: null, actor: { kind: 'system', id: '' } },
    recorded_at: '',
  });

const golden = z.object({ type: z.string(), schema_version: z.int().positive(), data: z.looseObject({}) });

test.each(events)('$type has a golden file for every version ever written', ({ type, version }) => {
  const written = Array.from({ length: version }, (_, index) => `${type}.v${index + 1}.json`).sort();
  expect(files.filter((file) => file.startsWith(`${type}.v`))).toEqual(written);
});

test.each(events)(
  'the newest golden $type is what its definition says, no more and no less',
  (definition) => {
    const event = golden.parse(JSON.parse(read(`${definition.type}.v${definition.version}.json`)));
    expect(event).toMatchObject({ type: definition.type, schema_version: definition.version });
    expect(definition.data.parse(event.data)).toEqual(event.data);
  },
);

const evolved = events.filter(({ earlier = [] }) => earlier.length > 0);

test('a version before the newest is known for every one that was raised', () => {
  for (const { type, version, earlier = [] } of events)
    expect([type, earlier.length + 1]).toEqual([type, version]);
});

test.each(evolved)(
  'every earlier golden $type is what was written then, and climbs to the newest version',
  (definition) => {
    const { type, version, earlier = [], data: newest } = definition;
    for (const [index, { data }] of earlier.entries()) {
      const event = golden.parse(JSON.parse(read(`${type}.v${index + 1}.json`)));
      expect(data.parse(event.data)).toEqual(event.data);
      const message = upcastMessage(recorded(event));
      expect(message.schema_version).toBe(version);
      expect(newest.parse(message.data)).toEqual(message.data);
      expect(upcastMessage(message)).toBe(message);
    }
  },
);

test('every domain has an event that was raised to a second version', () => {
  expect(new Set(evolved.map(({ service }) => service))).toEqual(new Set(serviceNames));
});

test('there is no golden file without a definition', () => {
  const types = new Set(events.map(({ type }) => type));
  expect(files.filter((file) => !types.has(file.slice(0, file.indexOf('.'))))).toEqual([]);
});

// After adding one: `sha256sum *.json > SHA256SUMS` in the folder. A line that changes is a history that no longer folds.
test('golden files never change and never go away', () => {
  const sums = files.map((file) => `${createHash('sha256').update(read(file)).digest('hex')}  ${file}\n`);
  expect(sums.join('')).toBe(read('SHA256SUMS'));
});

/** The commit with which the first of them were written: one had been changed until then. */
const firstWritten = '12579f61168a6e8b9742824cf754c05e4b5b4146';

const changedGoldenFiles = (command: string, ...args: readonly string[]) =>
  spawnSync(
    'git',
    [command, ...args, '--no-renames', '--diff-filter=MDT', '--name-only', '--', '*.v*.json'],
    { cwd: folder, encoding: 'utf8' },
  );
const everChanged = changedGoldenFiles('log', '--format=', `${firstWritten}..HEAD`);

// The sums could be changed together with a file. A download, or a shallow clone, has nothing to compare with.
test.skipIf(everChanged.status !== 0)('no commit changed a golden file or took one away', () => {
  expect(everChanged.stdout).toBe('');
  expect(changedGoldenFiles('diff', 'HEAD').stdout).toBe('');
});
