import type { SenderEvent } from '@parley/contracts';
import type { PostgresEventStore } from '@parley/event-store';
import { createLogger } from '@parley/process-kit';
import type { DueTimer } from '@parley/processing';
import type { ChatPlatform, ChatTemplate } from '@parley/providers';
import { createTestStore, eventually, golden, testMetadata } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findTemplatesOf } from '../views/template-queries.ts';
import { templatesView } from '../views/templates-view.ts';
import { startSync } from './start-sync.ts';
import { syncKinds, syncTimer } from './sync-timers.ts';
import { Synchroniser } from './synchroniser.ts';

let store: PostgresEventStore;

beforeAll(async () => {
  store = await createTestStore([templatesView]);
});
afterAll(() => store?.close());

const toBeRead = (senderId: number, events: readonly SenderEvent[] = []) =>
  store.append({
    streamId: `sender-${senderId}`,
    category: 'sender',
    accountId: 3,
    events,
    expectedVersion: 'any',
    metadata: testMetadata,
    timers: [syncTimer('templates', { senderId, accountId: 3 }, 'now')],
  });

const templateOf = (senderId: number, status: ChatTemplate['status']): ChatTemplate => ({
  platformId: `p${senderId}`,
  name: 'hello',
  language: 'en',
  category: 'utility',
  status,
  kind: 'message',
  bodyText: 'Hello',
  format: 'positional',
  placeholders: [],
});

async function findTimer(senderId: number): Promise<DueTimer & { readonly isDue: boolean }> {
  const { rows } = await store.pool.query(
    `select id, kind, due_at::text as "dueAt", payload, due_at <= es.now() as "isDue" from es.timers where id = $1`,
    [`${syncKinds.templates}-${senderId}`],
  );
  return rows[0];
}

/** A copy of the service to which the platform answers when it is told what. */
function startCopy() {
  const asked: ((status: ChatTemplate['status']) => void)[] = [];
  const never = () => Promise.reject(new Error('Nobody asks for it.'));
  const platform: ChatPlatform = {
    findNumber: never,
    findSipAccount: never,
    getNumber: never,
    send: never,
    subscribe: never,
    listTemplates: ({ phoneNumberId }) =>
      new Promise((resolve) =>
        asked.push((status) => resolve({ kind: 'ok', value: [templateOf(Number(phoneNumberId), status)] })),
      ),
  };
  const logger = createLogger({ service: 'messaging', level: 'silent' });
  const sync = startSync(new Synchroniser({ store, sql: store.pool, platform, logger }), logger);
  const fire = async (senderId: number) =>
    sync.timers[syncKinds.templates]?.(await findTimer(senderId), { store, metadata: testMetadata });
  /** Resolves once the platform is asked, with what answers it. */
  const untilAsked = () =>
    eventually(() => {
      const [answer] = asked.splice(0);
      if (!answer) throw new Error('The platform was not asked.');
      return answer;
    });
  return {
    fire,
    untilAsked,
    async read(senderId: number) {
      await fire(senderId);
      return untilAsked();
    },
    /** Resolves when what is read is on record. */
    done: () => sync.close(),
  };
}

async function connect(senderId: number): Promise<void> {
  const [connected] = golden<SenderEvent>('SenderConnected.v1');
  if (connected?.type !== 'SenderConnected') throw new Error('There is no such event.');
  await toBeRead(senderId, [
    { ...connected, data: { ...connected.data, sender_id: senderId, phone_number_id: String(senderId) } },
  ]);
}

test('a change that is told of while templates are read has them read again', async () => {
  await connect(1);
  const copy = startCopy();
  const answer = await copy.read(1);
  await toBeRead(1);
  answer('pending');
  await copy.done();
  expect(await findTimer(1)).toMatchObject({ isDue: true });
});

test('however often a change is told of while templates are read, they are read once more at once', async () => {
  await connect(3);
  const copy = startCopy();
  const answer = await copy.read(3);
  for (const _ of [1, 2]) {
    await toBeRead(3);
    await copy.fire(3);
  }
  answer('pending');
  const answerAgain = await copy.untilAsked();
  answerAgain('approved');
  await eventually(async () =>
    expect(await findTemplatesOf(store.pool, 3)).toMatchObject([{ status: 'approved' }]),
  );
  await copy.done();
});

test('a timer of a sender that is not connected any more is the last one', async () => {
  await connect(4);
  await toBeRead(4, golden<SenderEvent>('SenderDisconnected.v1'));
  const copy = startCopy();
  await copy.fire(4);
  await copy.done();
  expect(await findTimer(4)).toBeUndefined();
});

test('what was read before another reading began, and comes after it, is not put on record', async () => {
  await connect(2);
  const [slow, quick] = [startCopy(), startCopy()];
  const late = await slow.read(2);
  await toBeRead(2);
  const answer = await quick.read(2);
  answer('approved');
  await quick.done();
  late('pending');
  await slow.done();
  expect(await findTemplatesOf(store.pool, 2)).toMatchObject([{ status: 'approved' }]);
  expect(await findTimer(2)).toMatchObject({ isDue: false });
});
