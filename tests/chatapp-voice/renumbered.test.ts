import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import { control, renumberedCustomer } from '../support/chat-platform.ts';
import { sharedPlace, voicePair, voiceTemplate } from './voice-stack.ts';

test.each(['Brazil', 'Mexico', 'Argentina'] as const)(
  'a customer in %s writes, is asked, allows calls and is called under the number that is dialed',
  async (country) => {
    const { dialed } = renumberedCustomer(country);
    const place = sharedPlace();
    const pair = await voicePair(place, {}, [voiceTemplate], dialed);
    await pair.write();
    await pair.asked();
    expect(await pair.permission()).toMatchObject({ status: 'pending' });
    await pair.reply('accept');
    const call = { direction: 'inbound', to: pair.sender.phone, from: dialed };
    await control('calls', { ...call, outcome: 'completed', duration_s: 3 }, place.sandboxUrl);
    await eventually(async () => expect((await pair.permission()).limits[0]?.used).toBe(0));
  },
);
