import { decisionOfStream, type heldName, type readBelongings } from '@parley/contracts';
import type pg from 'pg';
import type { z } from 'zod';

export type HeldName = z.output<typeof heldName>;

interface Page {
  /** The log's position that the page is of. */
  readonly head: number;
  /** As they are kept. */
  readonly held: readonly HeldName[];
  /** The last name that was looked at; null when it was the last one of all. */
  readonly after: HeldName | null;
}

/** Names say nothing of accounts: whose one is, its owner's first event tells. So many a page looks at. */
const lookedAt = 5_000;

/**
 * The names that streams of an account hold, in their order. Where only those of changed streams are asked for, which are
 * few and known before, a page looks at all that there are.
 */
export async function readHeldNames(
  pool: pg.Pool,
  { account_id, after, limit, changed_since }: z.output<typeof readBelongings.input>,
): Promise<Page> {
  const behind = [after?.scope ?? '', after?.key ?? '', account_id, decisionOfStream.source, limit];
  const { rows: pages } = await pool.query<Page>(
    changed_since === undefined
      ? { text: namesOfAll, values: [...behind, lookedAt] }
      : { text: namesOfChanged, values: [...behind, changed_since] },
  );
  const { head = 0, held = [], after: last = null } = pages[0] ?? {};
  return { head, held, after: held.length === limit ? (held.at(-1) ?? null) : last };
}

const namesOfAll = `
  with looked as materialized (
    select c.scope, c.key, c.owner from es.claims c where (c.scope, c.key) > ($1, $2)
    order by c.scope, c.key limit $6
  ), held as (
    select c.scope, c.key, c.owner from looked c
    where exists (
      select from es.events e
      where e.stream_id = any(array[c.owner, regexp_replace(c.owner, $4, '')]) and e.stream_version = 1
        and e.account_id = $3
    )
    order by c.scope, c.key limit $5
  )
  select h.position as head, coalesce((select json_agg(n) from held n), '[]') as held,
    (select to_json(l) from looked l where (select count(*) from looked) = $6
     order by l.scope desc, l.key desc limit 1) as after
  from es.head h`;

const namesOfChanged = `
  with changed as materialized (
    select distinct e.stream_id from es.events e where e.position > $6 and e.account_id = $3
  ), held as (
    select c.scope, c.key, c.owner from es.claims c
    where (c.scope, c.key) > ($1, $2) and (
      c.owner in (select stream_id from changed)
      or (c.owner like '%/%' and regexp_replace(c.owner, $4, '') in (select stream_id from changed))
    )
    order by c.scope, c.key limit $5
  )
  select h.position as head, coalesce((select json_agg(n) from held n), '[]') as held, null as after
  from es.head h`;
