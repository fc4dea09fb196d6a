import { createBatchLoader } from '@parley/batching';
import type { SqlExecutor } from '@parley/event-store';
import { type Projection } from '@parley/processing';
import type { Facts, Reference, ReferenceKind } from '../../assistant/facts.ts';
import { knowledgebasesView } from '../knowledgebases/knowledgebases-view.ts';
import { foldersView, itemsTable, labelsView } from './organisers-view.ts';

/** Looks up which of these references the account has; the answer tells it of each. */
export type OwnReferences = (accountId: number, references: readonly Reference[]) => Promise<Facts['isOwn']>;

const views: Readonly<Record<ReferenceKind, Projection>> = {
  folder: foldersView,
  label: labelsView,
  knowledgebase: knowledgebasesView,
};

/** Look-ups of one tick share a statement. */
export function createOwnReferences(sql: SqlExecutor): OwnReferences {
  const isOwn = createBatchLoader(
    async (asked: readonly (Reference & { readonly accountId: number })[]) => {
      const { rows } = await sql.query<{ found: boolean }>({
        name: 'own-references',
        text: `select case a.kind ${Object.entries(views)
          .map(
            ([kind, view]) =>
              `when '${kind}' then exists (select from ${itemsTable(view)} i where i.id = a.id and i.account_id = a.account_id)`,
          )
          .join(' ')} end as found
             from unnest($1::text[], $2::int8[], $3::int8[]) with ordinality a (kind, id, account_id, place)
             order by a.place`,
        values: [
          asked.map(({ kind }) => kind),
          asked.map(({ id }) => id),
          asked.map(({ accountId }) => accountId),
        ],
      });
      return rows.map(({ found }) => found);
    },
    { maxBatch: 1_000 },
  );
  return async (accountId, references) => {
    const found = await Promise.all(references.map((reference) => isOwn({ ...reference, accountId })));
    const own = new Set(references.filter((_, index) => found[index]).map(({ kind, id }) => `${kind}-${id}`));
    return (kind, id) => own.has(`${kind}-${id}`);
  };
}
