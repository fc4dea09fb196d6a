import { Secret } from '@parley/process-kit';
import type { ProviderResult, VoicePlatform } from '@parley/providers';
import { expect, test } from 'vitest';
import { created } from './created.fixture.ts';
import { PlatformTrunks } from './platform-trunks.ts';

const { data } = created;

test('of a trunk that the platform has lost, what was made without an answer goes first, under both of its numbers', async () => {
  const done: string[] = [];
  const ok = <T>(value: T): ProviderResult<T> => ({ kind: 'ok', value });
  const platform: Partial<VoicePlatform> = {
    inboundOf: async () => ok([]),
    receiveCalls: async () => ok(undefined),
    replaceTrunk: async () => ({ kind: 'rejected', code: 'not_found', message: 'It is gone.' }),
    findTrunks: async (direction, trunk) => ok([`${direction} ${trunk.number}`]),
    async deleteTrunk(id) {
      done.push(`delete ${id}`);
      return ok(undefined);
    },
    async createTrunk(direction, trunk) {
      done.push(`make ${direction} ${trunk.number}`);
      return ok(`ST_${direction}`);
    },
  };
  const trunks = new PlatformTrunks(platform as VoicePlatform, undefined);
  const wanted = { id: data.id, settings: { ...data, phone_number: '+1' }, password: new Secret('secret') };
  expect(await trunks.replace(data, wanted, '+2')).toEqual(
    ok({ inbound_trunk_id: 'ST_inbound', outbound_trunk_id: 'ST_outbound' }),
  );
  expect(done).toEqual(
    ['inbound', 'outbound'].flatMap((each) => [`delete ${each} +2`, `delete ${each} +1`, `make ${each} +1`]),
  );
});
