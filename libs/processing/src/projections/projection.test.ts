import { describe, expect, test } from 'vitest';
import { recordedEvent } from '../fixtures/recorded-event.fixture.ts';
import { collectStatements, defineProjection, liveSchema, shadowSchema } from './projection.ts';

const counters = defineProjection({
  name: 'counters',
  version: 3,
  handles: ['Counted'],
  tables: (schema) => `create table ${schema}.counters (id text primary key)`,
  project: (events, db) => {
    db.query({ name: 'insert', text: `insert into ${db.schema}.counters`, values: [events.length] });
    db.query({ text: 'select 1' });
  },
});

describe('a projection', () => {
  test('has a schema and a checkpoint for each version', () => {
    expect(liveSchema(counters)).toBe('view_counters_v3');
    expect(shadowSchema(counters, 'next')).toBe('view_counters_v3__next');
    expect(counters.checkpoint).toBe('projection:counters@3');
  });

  test('gets the events it handles and no others', async () => {
    const events = [recordedEvent(1), recordedEvent(2, { type: 'Renamed' }), recordedEvent(3)];
    expect(await collectStatements(counters, events, 'somewhere')).toEqual([
      { name: 'somewhere.insert', text: 'insert into somewhere.counters', values: [2] },
      { text: 'select 1' },
    ]);
  });

  test('writes nothing when there is nothing for it', async () => {
    expect(await collectStatements(counters, [recordedEvent(2, { type: 'Renamed' })], 'somewhere')).toEqual(
      [],
    );
  });

  test.each(['Counters', '1st', 'a-b', 'a;drop', 'x'.repeat(31), ''])('is not named "%s"', (name) => {
    expect(() => defineProjection({ ...counters, name })).toThrow(TypeError);
  });

  test.each([0, 1.5, -1, Number.NaN])('has no version %s', (version) => {
    expect(() => defineProjection({ ...counters, version })).toThrow(TypeError);
  });
});
