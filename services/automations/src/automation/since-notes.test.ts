import type { AutomationEvent } from '@parley/contracts';
import { createInMemoryEventStore } from '@parley/event-store';
import { golden, testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { automationCategory, automationStream } from './automation.ts';
import { sinceNotes } from './since-notes.ts';

const [created, renamed, note] = golden<AutomationEvent>(
  'AutomationCreated.v1',
  'AutomationRenamed.v1',
  'AutomationTriggerRefused.v1',
);

/** What an `If-Match` of the first version becomes, and how many events are read for that. */
async function seenSince(after: readonly (AutomationEvent | undefined)[]) {
  const store = createInMemoryEventStore();
  const events = [created, ...after].flatMap((event) => event ?? []);
  const about = { category: automationCategory, accountId: 7, expectedVersion: 0, metadata: testMetadata };
  await store.append({ streamId: automationStream(4), ...about, events });
  let read = 0;
  const readStream: typeof store.readStream = async (...asked) => {
    const found = await store.readStream(...asked);
    read += found.length;
    return found;
  };
  const message = {
    ...{ accountId: 7, actor: testMetadata.actor, correlationId: 'test', commandId: null, fingerprint: null },
    ...{ expectedVersion: 1, baseUrl: null, timeoutMs: 1_000 },
  };
  return { version: (await sinceNotes({ readStream }, 4, message)).expectedVersion, read };
}

test('an If-Match is as good after notes, however many, and no better after a change', async () => {
  expect(await seenSince([])).toMatchObject({ version: 1 });
  expect(await seenSince(Array(250).fill(note))).toMatchObject({ version: 251 });
  expect(await seenSince([...Array(250).fill(note), renamed])).toMatchObject({ version: 1 });
  expect(await seenSince([renamed, note])).toMatchObject({ version: 1 });
});

test('an old If-Match does not read all that an automation was since', async () => {
  const { version, read } = await seenSince(Array(5_000).fill(renamed));
  expect(version).toBe(1);
  expect(read).toBeLessThan(100);
});
