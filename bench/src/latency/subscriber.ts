import { connectToBus, createBusClient, readEventPages, subscribeDurably } from '@parley/message-bus';
import { momentMs, nowMs } from './clock.ts';
import type { SubscriberReport } from './subscriber-process.ts';

/** A process of its own that follows a service's events from now on, and tells when each came to its handler. */
const servers = process.env.NATS_URL ?? '';
const service = process.env.SERVICE ?? '';
const type = process.env.EVENT_TYPE ?? '';

async function findHead(): Promise<number> {
  const connection = await connectToBus({ servers, name: 'bench-subscriber' });
  const client = createBusClient(connection);
  const { head } = await readEventPages(client, service)(0, 1);
  await client.close();
  await connection.close();
  return head;
}

const head = await findHead();
let latenciesMs: number[] = [];
await subscribeDurably({
  servers,
  name: 'bench-subscriber',
  services: [service],
  positions: { load: async () => head, save: async () => undefined },
  async handle(event) {
    if (event.type === type) latenciesMs.push(nowMs() - momentMs(event.recorded_at));
  },
});

process.on('message', () => {
  const report: SubscriberReport = { latenciesMs };
  latenciesMs = [];
  process.send?.(report);
});
process.once('disconnect', () => process.exit(0));
process.send?.({ latenciesMs: [] } satisfies SubscriberReport);
