import { loadConfig } from '@parley/process-kit';
import type { PlatformTrunk } from '@parley/providers';
import { expect, test } from 'vitest';
import { voiceConfig } from './config.ts';
import { SharedLines } from './lines.ts';

/** The trunks that both lines are made with. */
async function trunksMade(environment: Record<string, string>): Promise<PlatformTrunk[]> {
  const made: PlatformTrunk[] = [];
  const lines = new SharedLines(
    {
      findTrunks: async () => ({ kind: 'ok', value: [] }),
      async createTrunk(_, trunk) {
        made.push(trunk);
        return { kind: 'ok', value: trunk.reference };
      },
    },
    loadConfig(voiceConfig, environment),
  );
  await lines.open('carrier');
  await lines.open('chat');
  return made;
}

test('the carrier is called as whom it knows, and nobody else is told the password', async () => {
  const [carrier, chat] = await trunksMade({
    CARRIER_SIP_ADDRESS: 'example.pstn.twilio.com',
    CARRIER_SIP_USERNAME: 'parley',
    CARRIER_SIP_PASSWORD: 'hunter2',
  });
  expect(carrier).toMatchObject({ address: 'example.pstn.twilio.com', credentials: { username: 'parley' } });
  expect(carrier?.credentials?.password.reveal()).toBe('hunter2');
  expect(chat?.credentials).toBeNull();
});

test('a carrier that goes by addresses is called without credentials', async () => {
  const [carrier] = await trunksMade({});
  expect(carrier?.credentials).toBeNull();
});
