import { setTimeout as sleep } from 'node:timers/promises';
import type { DecodeEvents, EventMetadata } from '@parley/event-store';
import { dropUnusedVersions, type Projection, rebuildProjection } from '@parley/processing';
import type pg from 'pg';
import { forgetPollMs } from '../sealing/open-seals.ts';
import type { SubjectKeys } from '../sealing/subject-keys.ts';
import { destroyKeys, type Person } from './destroy-keys.ts';
import type { Erasure } from './erasures.ts';
import { eventsAbout } from './events-about.ts';
import { findLeftovers } from './find-leftovers.ts';
import { deleteSnapshots, scrub } from './scrub.ts';

/** Ends what a service still does about a person, while it is still known who that is. May be repeated. */
export type EndDealings = (person: Person & { readonly metadata: EventMetadata }) => Promise<void>;

export interface EraseOptions {
  readonly pool: pg.Pool;
  readonly keys: SubjectKeys;
  readonly decode: DecodeEvents;
  readonly projections: readonly Projection[];
  readonly endDealings?: EndDealings | undefined;
  readonly person: Person;
  readonly metadata: EventMetadata;
  readonly onStep: (step: string) => Promise<void>;
}

/** By now every copy has noticed that keys were destroyed, and what it was doing with them is done. */
const settledAfterMs = 5 * forgetPollMs;
const busyRetryMs = 500;

/**
 * Erases a person from one service; when it was broken off, doing it again does the rest. Views of events about the
 * person are made anew from the log, which no longer knows them, so that they are what a rebuild will always give; to all
 * others the log reads as before. Until `forgetKeys`, doing it again tells of the same keys.
 */
export async function erasePerson(
  options: EraseOptions,
): Promise<Pick<Erasure, 'subject_ids' | 'leftovers'>> {
  const { pool, keys, person, metadata, onStep } = options;
  const head = await readHead(pool);
  await onStep('ending what goes on');
  await options.endDealings?.({ ...person, metadata });
  await onStep('destroying the key');
  // Copies that are about to forget the person would learn of them again.
  await deleteSnapshots(pool, person);
  const subjectIds = await destroyKeys(pool, keys, person);
  await sleep(settledAfterMs);
  // What was begun in between, by what had been read of the person before: other services destroy their keys meanwhile.
  await options.endDealings?.({ ...person, metadata });
  const about = await eventsAbout(pool, person.accountId, subjectIds);
  const found = await findLeftovers(pool, person);
  for (const projection of options.projections) {
    const isConcerned =
      projection.handles.some((type) => about.types.has(type)) ||
      found.some(({ table }) => table.startsWith(`view_${projection.name}_v`));
    if (!isConcerned) continue;
    await onStep(`rebuilding ${projection.name}`);
    await dropUnusedVersions(pool, projection, head);
    await rebuild(projection, options);
  }
  await onStep('emptying answers');
  await scrub(pool, person, about.streamIds);
  await onStep('looking for what is left');
  const leftovers = await findLeftovers(pool, person);
  return { subject_ids: [...subjectIds], leftovers };
}

async function readHead(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ position: number }>('select position from es.head');
  return rows[0]?.position ?? 0;
}

async function rebuild(projection: Projection, { pool, decode }: EraseOptions): Promise<void> {
  while ((await rebuildProjection({ projection, pool, decode })).kind === 'busy') await sleep(busyRetryMs);
}
