import { lookUpTime } from './postgres/connection/answer-time.ts';
import type { SqlExecutor } from './sql.ts';

export interface IdAllocator {
  /** A positive integer never given out before by any process; increasing within this one. */
  next(): Promise<number>;
}

/** What the sequences count up by. */
export const idsPerBlock = 20;
const maxBlocksPerFetch = 16;

/**
 * Integer ids from the Postgres sequence `es.<sequenceName>`, made on first use. Ids come in blocks, fetched ahead of
 * demand, so that an id rarely costs a round trip; a restart skips what was fetched and not used.
 */
export function createIdAllocator(sql: SqlExecutor, sequenceName: string): IdAllocator {
  if (!/^[a-z][a-z0-9_]{0,50}$/.test(sequenceName))
    throw new TypeError(`${sequenceName} is no sequence name.`);
  const free: number[] = [];
  const waiting: { resolve: (id: number) => void; reject: (error: unknown) => void }[] = [];
  let blocksPerFetch = 1;
  let isFetching = false;
  let isCreated = false;

  async function fetchBlocks(): Promise<void> {
    isFetching = true;
    try {
      if (!isCreated) await createSequence(sql, sequenceName);
      isCreated = true;
      const wanted = Math.max(blocksPerFetch, Math.ceil(waiting.length / idsPerBlock));
      const { rows } = await sql.query<{ first: number }>({
        name: `es-ids-${sequenceName}`,
        text: `select nextval('es.${sequenceName}')::float8 as first from generate_series(1, $1::int)`,
        values: [wanted],
        ...lookUpTime,
      });
      for (const { first } of rows) for (let i = 0; i < idsPerBlock; i++) free.push(first + i);
      if (waiting.length > 0) blocksPerFetch = Math.min(blocksPerFetch * 2, maxBlocksPerFetch);
      for (const { resolve } of waiting.splice(0, free.length)) resolve(free.shift() ?? Number.NaN);
    } catch (error) {
      for (const { reject } of waiting.splice(0)) reject(error);
    } finally {
      isFetching = false;
    }
    if (waiting.length > 0) void fetchBlocks();
  }

  return {
    next() {
      if (!isFetching && free.length < (blocksPerFetch * idsPerBlock) / 2) void fetchBlocks();
      const id = free.shift();
      if (id !== undefined) return Promise.resolve(id);
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
  };
}

async function createSequence(sql: SqlExecutor, name: string): Promise<void> {
  await sql.query({
    text: `do $$ begin
      perform pg_advisory_xact_lock(hashtext('es.${name}'));
      create sequence if not exists es.${name} increment by ${idsPerBlock};
    end $$`,
  });
}
