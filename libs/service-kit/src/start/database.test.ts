import { expect, test } from 'vitest';
import { faultOf } from './database.ts';

test.each([
  ['18.1', 180_001, 'UTF8', undefined],
  ['14.0', 140_000, 'UTF8', undefined],
  ['13.22', 130_022, 'UTF8', 'DATABASE_URL leads to Postgres 13.22: it has to be 14 or later.'],
  ['18.1', 180_001, 'SQL_ASCII', expect.stringMatching(/^The database notes is in SQL_ASCII, .* in UTF8\.$/)],
])('of Postgres %s (%i) with a database in %s it is said: %s', (version, versionNumber, encoding, fault) =>
  expect(faultOf({ version, versionNumber, encoding }, 'notes')).toEqual(fault),
);
