import type { World } from '../world.ts';
import { callOf } from './call.ts';
import { doesDecline, dueObjects, findObject } from './object-store.ts';
import type { Customer, Invoice, Subscription } from './objects.ts';
import { whenDue } from './subscription.ts';
import { saveBilling } from './subscriptions.ts';

const noRequest = { method: '', url: '', baseUrl: '', params: {}, query: {}, headers: {}, body: null };

/** Does what is due by the platform's clock, in its order, as often as it came due; each step is its own transaction. */
export async function renewDue(world: World): Promise<void> {
  for (;;) {
    const ids = await dueObjects(world.pool, world.clock.now());
    if (ids.length === 0) return;
    for (const id of ids) await renewOne(world, id);
  }
}

async function renewOne(world: World, id: string): Promise<void> {
  await world.change(async (db, tell) => {
    const subscription = await findObject<Subscription>(db, 'subscription', id);
    const { rows } = await db.query<{ due_at: Date | null }>(
      'select due_at from payments.objects where id = $1',
      [id],
    );
    const dueAt = rows[0]?.due_at;
    if (!subscription || !dueAt || dueAt > world.clock.now()) return;
    const customer = await findObject<Customer>(db, 'customer', subscription.customer);
    const method =
      subscription.default_payment_method ?? customer?.invoice_settings.default_payment_method ?? null;
    const invoice = subscription.latest_invoice
      ? await findObject<Invoice>(db, 'invoice', subscription.latest_invoice)
      : null;
    const canCharge = customer !== null && method !== null && !(await doesDecline(db, method));
    const now = Math.floor(dueAt.getTime() / 1000);
    const call = callOf(db, tell, noRequest, dueAt);
    await saveBilling(
      call,
      whenDue(subscription, invoice?.status === 'open' ? invoice : null, now, canCharge),
    );
  });
}
