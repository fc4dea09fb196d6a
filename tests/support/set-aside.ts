import { randomUUID } from 'node:crypto';
import { releaseBalance, reserveBalance } from '@parley/contracts';
import { connectBusClient } from '@parley/message-bus';
import { onTestFinished } from 'vitest';
import { ask } from './accounts.ts';

/** Sets money of an account aside, as calls do; resolves to what gives it back. */
export async function setAside(
  { natsUrl }: { readonly natsUrl: string },
  account_id: number,
  amount_micros: number,
): Promise<() => Promise<unknown>> {
  const bus = await connectBusClient({ servers: natsUrl, name: 'tests' });
  onTestFinished(() => bus.close());
  const hold = { account_id, hold_id: randomUUID() };
  await ask(bus, reserveBalance, { ...hold, amount_micros, description: 'A call', reference: null });
  return () => ask(bus, releaseBalance, hold);
}
