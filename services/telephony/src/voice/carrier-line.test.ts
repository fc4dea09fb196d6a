import { loadConfig } from '@parley/process-kit';
import type { PlatformTrunk } from '@parley/providers';
import { expect, test } from 'vitest';
import { CarrierLine } from './carrier-line.ts';
import { voiceConfig } from './config.ts';

/** The trunk that the line is made with. */
async function trunkMade(environment: Record<string, string>): Promise<PlatformTrunk | undefined> {
  const made: PlatformTrunk[] = [];
  const line = new CarrierLine(
    {
      findTrunks: async () => ({ kind: 'ok', value: [] }),
      async createTrunk(_, trunk) {
        made.push(trunk);
        return { kind: 'ok', value: trunk.reference };
      },
    },
    loadConfig(voiceConfig, environment),
  );
  await line.open();
  return made[0];
}

test('the carrier is called as whom it knows', async () => {
  const trunk = await trunkMade({
    CARRIER_SIP_ADDRESS: 'example.pstn.twilio.com',
    CARRIER_SIP_USERNAME: 'parley',
    CARRIER_SIP_PASSWORD: 'hunter2',
  });
  expect(trunk).toMatchObject({ address: 'example.pstn.twilio.com', credentials: { username: 'parley' } });
  expect(trunk?.credentials?.password.reveal()).toBe('hunter2');
});

test('a carrier that goes by addresses is called without credentials', async () => {
  expect((await trunkMade({}))?.credentials).toBeNull();
});
