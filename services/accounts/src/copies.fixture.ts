import { randomUUID } from 'node:crypto';
import { registerAccount } from '@parley/contracts';
import { type ServiceCopies, startServiceCopies } from '@parley/testing';
import { accountsService } from './accounts-service.ts';

export interface Copies extends ServiceCopies {
  /** A fresh account, registered through the bus. */
  register(): Promise<{ accountId: number; email: string }>;
}

/** Several copies of the service on one fresh database. */
export async function startCopies(count: number, env: Record<string, string> = {}): Promise<Copies> {
  const copies = await startServiceCopies(accountsService, count, env);
  return {
    ...copies,
    async register() {
      const email = `${randomUUID()}@example.com`;
      const account = { email, name: 'Ada', billing_unit: 'credits' };
      const { account_id: accountId } = await copies.ask(registerAccount, account);
      return { email, accountId };
    },
  };
}
