import type { SipTrunkEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import { testMetadata as metadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { created } from './created.fixture.ts';
import type { PasswordStore } from './password-store.ts';
import type { PlatformTrunks } from './platform-trunks.ts';
import { reconcileTrunk } from './reconcile-trunk.ts';
import { sipTrunkCategory, sipTrunkStream } from './sip-trunk.ts';

const { id, phone_number, inbound_trunk_id, outbound_trunk_id } = created.data;
const known = { inbound_trunk_id, outbound_trunk_id };

/** By which numbers the platform is cleared of a trunk with this history, and what of it is kept. */
async function cleared(history: readonly SipTrunkEvent[], number: string) {
  const store = createInMemoryEventStore();
  const stream = { streamId: sipTrunkStream(id), category: sipTrunkCategory, accountId: 3, metadata };
  await store.append({ ...stream, events: history, expectedVersion: 0 });
  const numbers: unknown[] = [];
  const platform: Partial<PlatformTrunks> = {
    async remove(_, each, kept) {
      numbers.push([
        each,
        kept && { inbound_trunk_id: kept.inbound_trunk_id, outbound_trunk_id: kept.outbound_trunk_id },
      ]);
      return null;
    },
  };
  const passwords: Partial<PasswordStore> = { find: async () => undefined, delete: async () => undefined };
  await reconcileTrunk(
    {
      aggregates: new Aggregates(store),
      passwords: passwords as PasswordStore,
      platform: platform as PlatformTrunks,
    },
    { id, number },
  );
  return numbers;
}

test('what was made of a trunk without an answer goes, whether under its number or the one that it was to have', async () => {
  const wanted = '+4930901829';
  expect(await cleared([created], wanted)).toEqual([
    [phone_number, known],
    [wanted, known],
  ]);
  expect(await cleared([created], phone_number)).toEqual([[phone_number, known]]);
});

test('of a trunk that was deleted nothing stays', async () => {
  const gone: SipTrunkEvent = { type: 'SipTrunkDeleted', data: { id } };
  expect(await cleared([created, gone], phone_number)).toEqual([[phone_number, undefined]]);
});
