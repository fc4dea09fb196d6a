import { eventually, startCuttingProxy, startOwnPostgres } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { request, stream } from '../../contract/requests.contract.ts';
import { StoreUnavailable } from '../../port.ts';
import { migrate } from '../migrate.ts';
import { openStore } from '../testing.fixture.ts';

const standby = 'This Postgres is a standby';

test('what a failover has led to a standby goes on where changes are taken, as soon as the way leads there', async () => {
  const server = await startOwnPostgres();
  onTestFinished(() => server.stop());
  await migrate(server.url);
  const standbyUrl = await server.startStandby();
  const proxy = await startCuttingProxy(server.url);
  onTestFinished(() => proxy.close());
  const store = await openStore(proxy.url, { timeouts: { turnMs: 500 } });
  const streamId = stream();
  await store.append(request({ streamId }));

  proxy.newOnesLeadTo(standbyUrl);
  proxy.loseAll();
  // Nor is anybody told what was there when the standby was left behind.
  await expect(eventually(() => store.readStream(streamId), 300)).rejects.toThrow(standby);
  await expect(store.append(request({ streamId: stream() }))).rejects.toThrow(StoreUnavailable);
  await expect(migrate(proxy.url)).rejects.toThrow(standby);

  // Its connections stay: only whoever refuses them ever gets another one.
  proxy.newOnesLeadTo(server.url);
  await eventually(() => store.append(request({ streamId: stream() })));
  expect(await store.readStream(streamId)).toHaveLength(1);
});
