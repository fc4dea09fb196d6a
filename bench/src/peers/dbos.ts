import { DBOS } from '@dbos-inc/dbos-sdk';
import fastify from 'fastify';

/** The flows of `automations/flows.ts` as DBOS workflows: one step for each of their steps, started by a request. */
interface Order {
  readonly n: number;
  readonly url: string;
}

const mapSteps = (count: number) =>
  DBOS.registerWorkflow(
    async (order: Order) => {
      let value = String(order.n);
      for (let step = 0; step < count; step += 1)
        ({ value } = await DBOS.runStep(async () => ({ value: `${value} ${step}` }), { name: `map${step}` }));
      return value;
    },
    { name: `map${count}` },
  );

const http3 = DBOS.registerWorkflow(
  async (order: Order) => {
    for (let step = 0; step < 3; step += 1)
      await DBOS.runStep(() => tell(order.url, { n: order.n, step }), { name: `tell${step}` });
  },
  { name: 'http3' },
);

async function tell(url: string, body: object): Promise<{ status: number; body: string }> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return { status: answer.status, body: await answer.text() };
}

const workflows = { map3: mapSteps(3), map20: mapSteps(20), http3 };

/** The SDK's own limit, given with the connection: set by a query, it would overlap the connection's first, as pg warns. */
const databaseUrl = new URL(process.env.DATABASE_URL ?? '');
databaseUrl.searchParams.set('options', '-c idle_in_transaction_session_timeout=60000');

DBOS.setConfig({
  name: 'bench',
  applicationVersion: '1',
  systemDatabaseUrl: databaseUrl.href,
  systemDatabasePoolSize: 20,
  logLevel: 'warn',
});
await DBOS.launch();

const app = fastify();
app.post<{ Params: { flow: keyof typeof workflows }; Body: Order }>('/:flow', async (request) => {
  const handle = await DBOS.startWorkflow<[Order], unknown>(workflows[request.params.flow])(request.body);
  return { received: true, run_id: handle.workflowID };
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.send?.({ type: 'ready' });
process.once('disconnect', () => process.exit(0));
