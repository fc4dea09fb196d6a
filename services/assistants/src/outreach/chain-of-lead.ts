import type { EventStore, RecordedEvent } from '@parley/event-store';

/** Each attempt says what the one before it said, so that the newest events tell. */
const latestEvents = 100;

const tellTypes = ['LeadCreated', 'LeadReopened', 'LeadQueued'];

/** Another number has its own attempts: where a run gave it, they go back to that one; else to whatever they did. */
const tells = ({ type, metadata: { chainDepth } }: RecordedEvent): boolean =>
  tellTypes.includes(type) || (type === 'LeadPhoneNumberChanged' && chainDepth !== undefined);

/**
 * How deep the run of an automation is that added the lead, or opened it anew or gave it another number since; undefined
 * where none did. What an attempt leads to may start another run.
 */
export async function chainDepthOfLead(
  store: Pick<EventStore, 'readStream'>,
  streamId: string,
  version: number,
): Promise<number | undefined> {
  const [ofFirst, ofLatest] = await Promise.all([
    store.readStream(streamId, { fromVersion: 1, toVersion: 1 }),
    store.readStream(streamId, { fromVersion: Math.max(1, version - latestEvents + 1), toVersion: version }),
  ]);
  return [...ofFirst, ...ofLatest].findLast(tells)?.metadata.chainDepth;
}
