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
  ['was made with an earlier password', ['earlier'], ['earlier']],
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

test('installations that share a voice platform each call by their own carrier', async () => {
  const trunks: PlatformTrunk[] = [];
  const lineTo = (CARRIER_SIP_ADDRESS: string) =>
    new CarrierLine(
      {
        async findTrunks(_, { reference }) {
          const ids = [...trunks.keys()].filter((id) => trunks[id]?.reference === reference);
          return { kind: 'ok', value: ids.map(String) };
        },
        createTrunk: async (_, trunk) => ({ kind: 'ok', value: String(trunks.push(trunk) - 1) }),
        async replaceTrunk(_, id, trunk) {
          trunks[Number(id)] = trunk;
          return { kind: 'ok', value: undefined };
        },
      },
      loadConfig(voiceConfig, { CARRIER_SIP_ADDRESS }),
    );
  const addresses = ['one.pstn.twilio.com', 'two.pstn.twilio.com'];
  const opened = [];
  for (const address of addresses) opened.push(await lineTo(address).open());
  expect(opened.map((line) => line.kind === 'ok' && trunks[Number(line.value)]?.address)).toEqual(addresses);
  // A copy that starts later goes by the same one.
  expect(await lineTo('one.pstn.twilio.com').open()).toEqual(opened[0]);
});

test('calls that find the trunk gone at the same time have one made, and not one each', async () => {
  const trunks = ['gone'];
  const line = new CarrierLine(
    {
      findTrunks: async () => ({ kind: 'ok', value: [...trunks] }),
      createTrunk: async () => ({ kind: 'ok', value: `made ${trunks.push('made')}` }),
      replaceTrunk: async () => ({ kind: 'ok', value: undefined }),
    },
    loadConfig(voiceConfig, environment),
  );
  await Promise.all([line.open(), line.open()]);
  trunks.length = 0;
  const again = () => {
    line.forget('gone');
    return line.open();
  };
  const made = { kind: 'ok', value: 'made 1' };
  expect(await Promise.all([again(), again()])).toEqual([made, made]);
  expect(await again()).toEqual(made);
});
