import type pg from 'pg';
import type { Fault, FaultMode } from './fault.ts';
import type { ProviderName } from './names.ts';

/** Stands for every operation of a provider. */
const everyOperation = '*';

export interface FaultOrder {
  readonly provider: ProviderName;
  /** Null for every operation of the provider. */
  readonly operation: string | null;
  readonly mode: FaultMode;
  /** How many calls are to fail; 0 takes the order back. */
  readonly times: number;
  readonly takesEffect: boolean;
}

/** Makes the next `times` calls fail; replaces an earlier order for the same operation. */
export async function orderFault(pool: pg.Pool, order: FaultOrder): Promise<void> {
  if (order.times === 0) {
    await pool.query(
      'delete from sandbox.faults where provider = $1 and ($2::text is null or operation = $2)',
      [order.provider, order.operation],
    );
    return;
  }
  await pool.query(
    `insert into sandbox.faults (provider, operation, mode, remaining, takes_effect) values ($1, $2, $3, $4, $5)
     on conflict (provider, operation) do update
     set mode = excluded.mode, remaining = excluded.remaining, takes_effect = excluded.takes_effect`,
    [order.provider, order.operation ?? everyOperation, order.mode, order.times, order.takesEffect],
  );
}

/**
 * Takes the fault for this call, or null. It is one statement, so that exactly `times` calls fail however many
 * arrive at once. An order for the operation comes before one for all operations of the provider.
 */
export async function takeFault(
  pool: pg.Pool,
  provider: ProviderName,
  operation: string,
): Promise<Fault | null> {
  const { rows } = await pool.query<{ mode: FaultMode; takes_effect: boolean }>({
    name: 'take-fault',
    text: `with due as (
        select provider, operation from sandbox.faults
        where provider = $1 and operation in ($2, '*') and remaining > 0
        order by operation = '*' limit 1 for update
      )
      update sandbox.faults f set remaining = f.remaining - 1 from due
      where f.provider = due.provider and f.operation = due.operation
      returning f.mode, f.takes_effect`,
    values: [provider, operation],
  });
  const [taken] = rows;
  return taken ? { mode: taken.mode, takesEffect: taken.takes_effect } : null;
}

/** The faults that are still to be taken, for people who look. */
export async function listFaults(pool: pg.Pool): Promise<readonly unknown[]> {
  const { rows } = await pool.query(
    `select provider, nullif(operation, '*') as operation, mode, remaining as times, takes_effect
     from sandbox.faults where remaining > 0 order by provider, operation`,
  );
  return rows;
}
