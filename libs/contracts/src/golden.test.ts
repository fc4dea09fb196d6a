import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { events } from './index.ts';

const folder = new URL('../golden/', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, folder), 'utf8');
const files = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .sort();

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

test('there is no golden file without a definition', () => {
  const types = new Set(events.map(({ type }) => type));
  expect(files.filter((file) => !types.has(file.slice(0, file.indexOf('.'))))).toEqual([]);
});

// After adding one: `sha256sum *.json > SHA256SUMS` in the folder. A line that changes is a history that no longer folds.
test('golden files never change and never go away', () => {
  const sums = files.map((file) => `${createHash('sha256').update(read(file)).digest('hex')}  ${file}\n`);
  expect(sums.join('')).toBe(read('SHA256SUMS'));
});
