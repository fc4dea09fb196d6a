import type { listNumberAssignments } from '@parley/contracts';
import type { SqlExecutor } from '@parley/event-store';
import type { z } from 'zod';
import { assistantsTable } from './assistants-view.ts';

type Assignment = z.output<typeof listNumberAssignments.output>['data'][number];
type Type = z.output<typeof listNumberAssignments.input>['type'];

const numberId = `(a.resource ->> 'phone_number_id')::int8`;

/** An account's assistants of a type with the numbers that they have. */
export async function numberAssignments(
  sql: SqlExecutor,
  accountId: number,
  type: Type,
): Promise<readonly Assignment[]> {
  const { rows } = await sql.query<Assignment>({
    name: 'number-assignments',
    text: `select ${numberId} as phone_number_id, a.id as assistant_id, a.resource ->> 'status' as status
           from ${assistantsTable} a
           where a.account_id = $1 and a.resource ->> 'type' = $2 and ${numberId} is not null
           order by a.id`,
    values: [accountId, type],
  });
  return rows;
}

/** Ids of an account's assistants, of any type, that have the number. */
export async function assistantsWithNumber(
  sql: SqlExecutor,
  accountId: number,
  phoneNumberId: number,
): Promise<readonly number[]> {
  const { rows } = await sql.query<{ id: number }>({
    name: 'assistants-with-number',
    text: `select a.id from ${assistantsTable} a where a.account_id = $1 and ${numberId} = $2 order by a.id`,
    values: [accountId, phoneNumberId],
  });
  return rows.map(({ id }) => id);
}
