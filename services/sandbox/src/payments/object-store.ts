import { randomBytes } from 'node:crypto';
import type { Executor } from '../database/transaction.ts';

export interface StripeObject {
  readonly id: string;
  readonly object: string;
}

/** `cus_4f0c…`: never the same twice, not even after a reset. */
export const newId = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`;

export interface Extras {
  readonly customer?: string | null;
  readonly declines?: boolean;
  readonly dueAt?: Date | null;
}

/** Creates or replaces the object. */
export async function saveObject(db: Executor, object: StripeObject, extras: Extras = {}): Promise<void> {
  await db.query(
    `insert into payments.objects (id, kind, customer, body, declines, due_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (id) do update set customer = excluded.customer, body = excluded.body, due_at = excluded.due_at`,
    [
      object.id,
      object.object,
      extras.customer ?? null,
      JSON.stringify(object),
      extras.declines ?? false,
      extras.dueAt ?? null,
    ],
  );
}

/**
 * The object of this kind, locked until the transaction ends, or null. `T` is not checked: the caller says what the
 * kind holds.
 */
export async function findObject<T extends StripeObject>(
  db: Executor,
  kind: T['object'],
  id: string,
): Promise<T | null> {
  const { rows } = await db.query<{ body: T }>(
    'select body from payments.objects where kind = $1 and id = $2 for update',
    [kind, id],
  );
  return rows[0]?.body ?? null;
}

/** Newest first, as Stripe lists; of one customer when one is given. */
export async function listObjects<T extends StripeObject>(
  db: Executor,
  kind: T['object'],
  customer: string | null,
): Promise<readonly T[]> {
  const { rows } = await db.query<{ body: T }>(
    `select body from payments.objects where kind = $1 and ($2::text is null or customer = $2)
     order by sequence desc`,
    [kind, customer],
  );
  return rows.map(({ body }) => body);
}

/** Ids of the objects whose time has come, earliest first. */
export async function dueObjects(db: Executor, now: Date): Promise<readonly string[]> {
  const { rows } = await db.query<{ id: string }>(
    'select id from payments.objects where due_at <= $1 order by due_at, id limit 100',
    [now],
  );
  return rows.map(({ id }) => id);
}

export async function doesDecline(db: Executor, paymentMethod: string): Promise<boolean> {
  const { rows } = await db.query<{ declines: boolean }>(
    'select declines from payments.objects where id = $1',
    [paymentMethod],
  );
  return rows[0]?.declines ?? true;
}
