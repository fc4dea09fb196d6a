import { contractUpcasters } from './contract/requests.contract.ts';
import { describeEventStore } from './event-store.contract.ts';
import { createInMemoryEventStore } from './in-memory.ts';

describeEventStore('in-memory', async () => {
  let aheadMs = 0;
  const now = () => new Date(Date.now() + aheadMs);
  const store = createInMemoryEventStore({ upcasters: contractUpcasters, now });
  return {
    store,
    timers: async () =>
      store.timers().map((timer) => ({ ...timer, dueInMs: Date.parse(timer.dueAt) - now().getTime() })),
    setClock: async (seconds) => {
      aheadMs = seconds * 1000;
    },
    close: () => store.close(),
  };
});
