import type pg from 'pg';
import type { FaultMode } from './fault.ts';
import type { ProviderName } from './names.ts';

/** Stands for every operation of a provider. */
const everyOperation = '*';

export interface FaultOrder {
  readonly provider: ProviderName;
  /** Null for every operation of the provider. */
  readonly operation: string | null;
  readonly mode: FaultMode;
  /** 0 clears. */
  readonly times: number;
  readonly takesEffect: boolean;
}

/** Sets what the next `times` calls get; a newer order for the same operation replaces the older one. */
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

/** The faults still to come, for people who look. */
export async function listFaults(pool: pg.Pool): Promise<readonly unknown[]> {
  const { rows } = await pool.query(
    `select provider, nullif(operation, '*') as operation, mode, remaining as times, takes_effect
     from sandbox.faults where remaining > 0 order by provider, operation`,
  );
  return rows;
}
