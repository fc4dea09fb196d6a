import { randomUUID } from 'node:crypto';
import { issueApiKey, registerAccount, topUpBalance } from '@parley/contracts';
import { v5 as uuidv5 } from 'uuid';
import type { Demo } from '../demo-file.ts';
import { expectOk, type Operator } from '../operator/operator.ts';

type DemoAccount = Demo['accounts'][number];

const people = [
  { name: 'Demo Owner', email: 'owner@demo.parley.test', balanceMicros: 1_000_000_000 },
  { name: 'Demo Empty', email: 'empty@demo.parley.test', balanceMicros: 100_000_000 },
] as const;

/** Command ids are made from names in this space, so that each command of the demo is effective once for ever. */
const demoSpace = '4f5c2a7e-6b1d-5c0e-9a38-2d7f0c6b9e14';

/**
 * The demo accounts with their balance. A known key that still works is kept; else a new one is issued (a key's token is
 * told once, so it cannot be had again).
 */
export async function makeAccounts(
  operator: Operator,
  known: readonly DemoAccount[],
  works: (apiKey: string) => Promise<boolean>,
): Promise<DemoAccount[]> {
  const accounts: DemoAccount[] = [];
  for (const { name, email, balanceMicros } of people) {
    const { account_id: id } = expectOk(
      await operator.tell(
        registerAccount,
        { email, name, billing_unit: 'credits' },
        uuidv5(`register ${email}`, demoSpace),
      ),
      email,
    );
    const topUp = {
      account_id: id,
      amount_micros: balanceMicros,
      description: 'Demo balance',
      reference: null,
    };
    expectOk(await operator.tell(topUpBalance, topUp, uuidv5(`top up ${email}`, demoSpace)), email);
    const kept = known.find((account) => account.id === id && account.email === email)?.api_key;
    const api_key = kept && (await works(kept)) ? kept : await issueKey(operator, id);
    accounts.push({ id, email, api_key });
  }
  return accounts;
}

async function issueKey(operator: Operator, accountId: number): Promise<string> {
  const answer = await operator.tell(issueApiKey, { account_id: accountId, name: 'Demo' }, randomUUID());
  const { token } = expectOk(answer, 'the demo key');
  if (token === null) throw new Error('A fresh command was answered like a repeated one.');
  return token;
}
