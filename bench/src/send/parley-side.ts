import { topUpBalance } from '@parley/contracts';
import { connectBusClient } from '@parley/message-bus';
import type { RunningStack } from '@parley/testing';
import { count } from '../count.ts';
import { ask, inParallel, seedAccounts } from '../http/parley.ts';
import { databaseOf, gatewayPort } from '../http/setup.ts';
import { processesOf } from '../processes/of-stack.ts';
import { addNumber, type BenchSender, balanceMicros, businessNumber, type Side, sendJson } from './side.ts';

/** Accounts with money and one sender each, made as customers make them. */
export async function parleySide(stack: RunningStack, senders: number): Promise<Side> {
  const accounts = await seedAccounts(stack.natsUrl, senders, 0);
  const bus = await connectBusClient({ servers: stack.natsUrl, name: 'bench' });
  const connected: BenchSender[] = [];
  const connect = async (n: number): Promise<void> => {
    const account = accounts[n];
    if (!account) return;
    const payment = { amount_micros: balanceMicros, description: 'Bench', reference: null };
    await ask(bus, topUpBalance, { account_id: account.id, ...payment });
    connected.push(await connectSender(stack, account.key, businessNumber(n)));
  };
  try {
    await inParallel(senders, connect, 8);
  } finally {
    await bus.close();
  }
  const countEvents = (service: string, type: string) =>
    count(databaseOf(stack, service), `select count(*) from es.events where type = '${type}'`);
  return {
    port: gatewayPort(stack),
    processes: processesOf(stack),
    senders: connected,
    countSent: () => countEvents('messaging', 'MessageSent'),
    countPaid: () => countEvents('accounts', 'BalanceCaptured'),
    platformDatabaseUrl: databaseOf(stack, 'sandbox'),
  };
}

async function connectSender(
  { baseUrl, sandboxUrl }: RunningStack,
  key: string,
  phone: string,
): Promise<BenchSender> {
  await addNumber(sandboxUrl, phone);
  const path = `${baseUrl}/api/user/chatapp/senders`;
  const sender = { phone_number: phone, display_name: 'Bench' };
  const { data } = await sendJson<{ data: { id: number } }>('POST', path, sender, key);
  const templates = await sendJson<{ data: { id: number }[] }>(
    'GET',
    `${path}/${data.id}/templates`,
    undefined,
    key,
  );
  const [template] = templates.data;
  if (!template) throw new Error(`Sender ${data.id} has no template.`);
  return { key, senderId: data.id, templateId: template.id };
}
