import { setTimeout as sleep } from 'node:timers/promises';
import type { RecordedEvent } from '@parley/event-store';
import type { EventSource } from '../event-source.ts';
import { type DeadLetter, reactorOf } from './dead-letters.ts';
import type { Reactor } from './reactor.ts';

const pageSize = 500;
/** Of a service that is not there: the rest of a list is told without it. */
const patienceMs = 3_000;

/** The letters with what other services' logs know of their events, where these answer. */
export async function withEventsOfOthers(
  reactors: readonly Reactor[],
  letters: readonly DeadLetter[],
): Promise<readonly DeadLetter[]> {
  const unknown = Map.groupBy(
    letters.filter(({ event }) => event === null),
    ({ processor }) => processor,
  );
  const found = await Promise.all(
    [...unknown].map(([processor, ofOne]) => eventsOf(reactorOf(reactors, processor)?.source, ofOne)),
  );
  const events = new Map(found.flat().map((event) => [event.eventId, event]));
  return letters.map((letter) => ({ ...letter, event: letter.event ?? events.get(letter.eventId) ?? null }));
}

async function eventsOf(
  source: EventSource | undefined,
  letters: readonly DeadLetter[],
): Promise<readonly RecordedEvent[]> {
  if (!source) return [];
  const positions = letters.map(({ position }) => position);
  const tooLate = sleep(patienceMs, [], { ref: false });
  return Promise.race([readAt(source, positions).catch(() => []), tooLate]);
}

async function readAt(source: EventSource, positions: readonly number[]): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  const last = Math.max(...positions);
  for (let after = Math.min(...positions) - 1; after < last; ) {
    const page = await source.read({ after, limit: pageSize, positions });
    if (page.reached <= after) break;
    events.push(...page.events);
    after = page.reached;
  }
  return events;
}
