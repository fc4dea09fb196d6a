import type { SenderEvent } from '@parley/contracts';
import { ownLog, startReactors } from '@parley/processing';
import { createTestStore, eventually, golden, testMetadata } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { sendersView } from '../views/senders-view.ts';
import { forgetDeletedAssistants } from './forget-deleted-assistants.ts';

const [connected] = golden<SenderEvent>('SenderConnected.v1');
if (connected?.type !== 'SenderConnected') throw new Error('There is no such event.');
const connectedWith = (assistant_id: number, sender_id = 0): SenderEvent => ({
  ...connected,
  data: { ...connected.data, sender_id, phone_number_id: String(sender_id), assistant_id },
});
const given = (assistant_id: number | null): SenderEvent => ({
  type: 'SenderAssistantChanged',
  data: { assistant_id },
});
const [there, gone] = [7, 8];

/** Senders of one account whose events stand, beside what else the service does of itself. */
async function senders(...histories: readonly (readonly SenderEvent[])[]) {
  const [store, assistants] = await Promise.all([createTestStore([sendersView]), createTestStore([])]);
  onTestFinished(async () => void (await Promise.all([store.close(), assistants.close()])));
  const about = { category: 'sender', accountId: 3, metadata: testMetadata, expectedVersion: 0 };
  for (const [index, events] of histories.entries())
    await store.append({ ...about, streamId: `sender-${index}`, events });
  const reactors = forgetDeletedAssistants({
    assistants: { exists: async (id) => id === there },
    store,
    sql: store.pool,
    source: ownLog(assistants),
  });
  const running = startReactors({ store, pool: store.pool, reactors });
  onTestFinished(() => running.close());
  return {
    untilThen: (index: number, events: readonly SenderEvent[]) =>
      eventually(async () => expect(await store.readStream(`sender-${index}`)).toMatchObject(events)),
  };
}

test.each([
  ['connected with', [connectedWith(gone)]],
  ['given', [connectedWith(there), given(gone)]],
])('an assistant that is deleted while a sender is %s it is taken off when it stands', async (_, history) => {
  const { untilThen } = await senders(history);
  await untilThen(0, [...history, given(null)]);
});

test('who is there, or was replaced meanwhile, is left alone', async () => {
  const untouched = [[connectedWith(there)], [connectedWith(gone, 1), given(there)]];
  const last = [connectedWith(gone, 2)];
  const { untilThen } = await senders(...untouched, last);
  await untilThen(2, [...last, given(null)]);
  for (const [index, events] of untouched.entries()) await untilThen(index, events);
});
