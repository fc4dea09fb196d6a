import { loadConfig } from '@parley/process-kit';
import type { PlatformTrunk } from '@parley/providers';
import { expect, test } from 'vitest';
import { CarrierLine } from './carrier-line.ts';
import { voiceConfig } from './config.ts';

/** The trunk that calls go by where these are at the voice platform, and the ids of those that are there then. */
async function trunkUsed(environment: Record<string, string>, ...present: readonly string[]) {
  const trunks = new Map<string, PlatformTrunk | null>(present.map((id) => [id, null]));
  const line = new CarrierLine(
    {
      findTrunks: async () => ({ kind: 'ok', value: [...trunks.keys()] }),
      async createTrunk(_, trunk) {
        trunks.set('made', trunk);
        return { kind: 'ok', value: 'made' };
      },
      async replaceTrunk(_, id, trunk) {
        trunks.set(id, trunk);
        return { kind: 'ok', value: undefined };
      },
    },
    loadConfig(voiceConfig, environment),
  );
  const opened = await line.open();
  return { trunk: opened.kind === 'ok' ? trunks.get(opened.value) : undefined, ids: [...trunks.keys()] };
}

const environment = {
  CARRIER_SIP_ADDRESS: 'example.pstn.twilio.com',
  CARRIER_SIP_USERNAME: 'parley',
  CARRIER_SIP_PASSWORD: 'hunter2',
};

test.each([
  ['is made', [], ['made']],
  ['was made before these were configured', ['earlier'], ['earlier']],
  ['was made by two copies at once', ['one', 'another'], ['one', 'another']],
])('the carrier is called as whom it knows, by a trunk that %s', async (_, present, left) => {
  const { trunk, ids } = await trunkUsed(environment, ...present);
  expect(trunk).toMatchObject({ address: 'example.pstn.twilio.com', credentials: { username: 'parley' } });
  expect(trunk?.credentials?.password.reveal()).toBe('hunter2');
  expect(ids).toEqual(left);
});

test('a carrier that goes by addresses is called without credentials', async () => {
  expect((await trunkUsed({})).trunk?.credentials).toBeNull();
});
