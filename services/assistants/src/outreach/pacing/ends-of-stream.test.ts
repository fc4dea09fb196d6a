import { createInMemoryEventStore, type RecordedEvent } from '@parley/event-store';
import { testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { endsOfStream } from './ends-of-stream.ts';

/** The versions of a lead's ends, of this many events of which these are wanted, and how many were read. */
async function endsOf(version: number, wanted: readonly number[]) {
  const log = createInMemoryEventStore();
  const events = Array.from({ length: version }, (_, index) => ({
    type: wanted.includes(index + 1) ? 'LeadQueued' : 'LeadVariablesReplaced',
    data: {},
  }));
  const about = { streamId: 'lead-12', category: 'lead', accountId: 7, metadata: testMetadata };
  await log.append({ ...about, expectedVersion: 0, events });
  let read = 0;
  const readStream: typeof log.readStream = async (streamId, options) => {
    const page = await log.readStream(streamId, options);
    read += page.length;
    return page;
  };
  const isWanted = ({ type }: RecordedEvent) => type === 'LeadQueued';
  const found = await endsOfStream({ readStream }, 'lead-12', version, isWanted);
  return { versions: found.map(({ streamVersion }) => streamVersion), read };
}

test('the first event of a stream and its newest wanted one are its ends', async () => {
  expect((await endsOf(1, [])).versions).toEqual([1]);
  expect((await endsOf(1, [1])).versions).toEqual([1]);
  expect((await endsOf(3, [])).versions).toEqual([1]);
  expect((await endsOf(3, [2, 3])).versions).toEqual([1, 3]);
  expect((await endsOf(1_000, [800, 950])).versions).toEqual([1, 950]);
});

test('of a lead that was changed without end what came before its newest attempt is not read', async () => {
  expect((await endsOf(1_000, [999])).read).toBeLessThan(20);
  expect((await endsOf(1_000, [])).read).toBe(101);
});
