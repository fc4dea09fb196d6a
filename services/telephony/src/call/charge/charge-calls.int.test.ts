import type { CallEvent } from '@parley/contracts';
import { Aggregates } from '@parley/event-store';
import type { BusReply, BusRequest } from '@parley/message-bus';
import { startReactors } from '@parley/processing';
import { AccountBalance } from '@parley/service-kit';
import { createTestStore, eventually, golden, testMetadata } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { callCategory, callStream } from '../call.ts';
import { CallLog } from '../call-log.ts';
import { chargeCalls } from './charge-calls.ts';

const [busy, other] = [7, 8] as const;

test('an account whose balance cannot be written now holds up the charges of no other, and each is made once', async () => {
  const store = await createTestStore([]);
  onTestFinished(() => store.close());
  for (const accountId of [busy, other]) {
    const about = { accountId, category: callCategory, expectedVersion: 0, metadata: testMetadata };
    const events = golden<CallEvent>('CallArrived.v1', 'CallEnded.v1').map((event) => ({
      ...event,
      data: { ...event.data, call_id: accountId },
    }));
    await store.append({ ...about, streamId: callStream(accountId), events });
  }
  let isBusy = true;
  const paying = new Set<number>();
  const bus = {
    async request({ payload }: BusRequest): Promise<BusReply> {
      const { account_id } = JSON.parse(payload);
      paying.add(account_id);
      return isBusy && account_id === busy
        ? { kind: 'rejected', rejection: { code: 'contended' } }
        : { kind: 'ok', body: '{}' };
    },
    close: async () => undefined,
  };
  const parts = { balance: new AccountBalance(bus, 'telephony'), log: new CallLog(new Aggregates(store)) };
  const start = async () => {
    const running = startReactors({ store, pool: store.pool, reactors: [chargeCalls(parts)] });
    onTestFinished(() => running.close());
    return running;
  };
  const charged = async () => {
    const events = await store.readAll({ after: 0, limit: 9, types: ['CallCharged'] });
    return events.map(({ accountId }) => accountId);
  };
  const first = await start();
  await eventually(async () => expect(await charged()).toEqual([other]));
  await first.close();
  isBusy = false;
  paying.clear();
  await start();
  await eventually(async () => expect(await charged()).toContain(busy));
  const lastEnd = (await store.readStream(callStream(other)))[1]?.position;
  await eventually(async () => {
    const { rows } = await store.pool.query<{ position: number }>(
      `select position from es.checkpoints where processor = 'reactor:call-charges'`,
    );
    expect(rows[0]?.position).toBeGreaterThanOrEqual(lastEnd ?? Number.NaN);
  });
  expect(await charged()).toEqual([other, busy]);
  expect([...paying]).toEqual([busy]);
});
