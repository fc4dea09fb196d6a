import { checkImport } from '@parley/contracts';
import { expect, test } from 'vitest';
import type { Operator } from '../operator/operator.ts';
import { checkInstallation } from './check-installation.ts';
import { folderEvent, folderFile } from './folder-file.fixture.ts';

const spool = folderFile(2);

/** An installation that has events of the account, and services where its import has not come to its end. */
const installation = (
  positions: readonly number[],
  unfinished: readonly string[],
  now = '2026-11-21T09:31:00.000000Z',
): Operator =>
  ({
    async ask(service: string, { name }: { name: string }) {
      const events = positions.map(folderEvent);
      const newest_at = events.at(-1)?.recorded_at ?? null;
      const found = { streams: [], has_events: events.length > 0, newest_at, now, next_ids: {} };
      return name === checkImport.name
        ? { kind: 'ok', value: { ...found, unfinished: unfinished.includes(service) ? [3] : [] } }
        : { kind: 'ok', value: { events, head: events.length, reached: events.length } };
    },
  }) as unknown as Operator;

test.each([
  ['nothing', [], []],
  ['a part', [1], ['assistants']],
  ['all of it, and what came of it where another service is not done', [1, 2, 3], ['assistants']],
])('a file goes on where %s is here already', async (_, here, unfinished) => {
  await expect(checkInstallation(installation(here, unfinished), spool)).resolves.toBeUndefined();
});

test.each([
  ['something has happened since its import came to its end', [1, 2, 3], []],
  ['what is here is something else', [2, 3], ['assistants']],
])('a file is refused where %s', async (_, here, unfinished) => {
  const refused = 'Account 3 is here already, with events of its own. Nothing was imported.';
  await expect(checkInstallation(installation(here, unfinished), spool)).rejects.toThrow(refused);
});

test('a file whose clock was ahead is refused until the clock here is there, or no time would pass here', async () => {
  const at = (now: string) => checkInstallation(installation([], [], now), spool);
  await expect(at('2026-11-21T09:30:01.999999Z')).rejects.toThrow(
    'accounts has events of 2026-11-21T09:30:02.000000Z in the file, and here it is 2026-11-21T09:30:01.999999Z',
  );
  await expect(at('2026-11-21T09:30:02.000000Z')).resolves.toBeUndefined();
});
