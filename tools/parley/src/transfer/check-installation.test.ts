import { checkImport, serviceNames } from '@parley/contracts';
import { golden } from '@parley/testing';
import { expect, test } from 'vitest';
import type { Operator } from '../operator/operator.ts';
import { checkInstallation } from './check-installation.ts';
import { exportedEvent } from './lines.ts';
import type { Spool } from './spool.ts';

const eventId = (number: number) => `0193e2a0-0000-7000-8000-00000000000${number}`;

const event = (number: number) => ({
  position: number,
  event_id: eventId(number),
  stream_id: 'folder-12',
  stream_version: number,
  category: 'folder',
  account_id: 3,
  ...golden<{ type: string; data: object }>('FolderCreated.v1')[0],
  schema_version: 1,
  metadata: {
    correlation_id: 'request-1',
    causation_id: 'command-1',
    command_id: null,
    actor: { kind: 'api_key', id: '1' },
  },
  recorded_at: `2026-11-21T09:30:0${number}.000000Z`,
});

/** A file with two events of each service. */
const part = { accountId: 3, events: 2, firstAt: null, streams: new Map(), names: [], nextIds: {} };
const spool: Spool = {
  accounts: new Map([[3, new Map(serviceNames.map((service) => [service, part]))]]),
  async *read(_, service) {
    for (const number of [1, 2]) yield exportedEvent.parse({ service, ...event(number) });
  },
  close: async () => undefined,
};

/** An installation that has events of the account, and services where its import has not come to its end. */
const installation = (numbers: readonly number[], unfinished: readonly string[]): Operator =>
  ({
    async ask(service: string, { name }: { name: string }) {
      const events = numbers.map(event);
      const newest_at = events.at(-1)?.recorded_at ?? null;
      const found = { streams: [], events: events.length, newest_at, next_ids: {} };
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
