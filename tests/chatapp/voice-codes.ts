import { randomInt } from 'node:crypto';
import type { RunningStack } from '@parley/testing';
import { expect } from 'vitest';
import { hours, type Pair, type voicePair, voiceTemplate } from '../chatapp-voice/voice-stack.ts';
import { control } from '../support/chat-platform.ts';
import {
  advance,
  type CodeCase,
  fault,
  nobody,
  noSender,
  type OmitFirst,
  ofPair,
  one,
  refusedByPlatform,
  wrong,
} from './code-case.ts';

const callPath = '/api/user/chatapp/voice/call';

const call = (change: object, ...about: OmitFirst<Parameters<typeof voicePair>>) =>
  ofPair(
    ({ api, sender, customer }) =>
      api.post(callPath, { sender_id: sender.id, recipient_phone: customer, ...change }),
    ...about,
  );

/** The pair's account with a further sender, of a country that businesses may not call from. */
async function american({ api }: Pair, { sandboxUrl }: RunningStack): Promise<number> {
  const phone_number = `+1415${randomInt(2_000_000, 9_999_999)}`;
  const display_name = 'Acme US';
  await control('chat/senders', { phone_number, display_name, calling_enabled: true }, sandboxUrl);
  const answer = await api.post('/api/user/chatapp/senders', { phone_number, display_name });
  return Object(answer.body).data.id;
}

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
const limit = (reason: string, retry_at: unknown = instant) => ({
  error: expect.any(String),
  more: { details: { reason, retry_at } },
});

/** The specification's table of voice request errors, and those of the call that follows. */
export const voiceCodes: readonly CodeCase[] = [
  one(
    'voice/request',
    'invalid',
    ofPair(({ ask }) => ask({ sender_id: '1' })),
    wrong('sender_id'),
  ),
  one(
    'voice/request',
    'not_found',
    ofPair(({ ask }) => ask({ sender_id: nobody })),
    noSender,
  ),
  one(
    'voice/request',
    'invalid_phone',
    ofPair(({ ask }) => ask({ recipient_phone: '+12' })),
  ),
  one(
    'voice/request',
    'voice_disabled',
    ofPair(({ ask }) => ask(), { calling_enabled: false }),
  ),
  one(
    'voice/request',
    'region_not_supported',
    ofPair(async (pair, stack) => pair.ask({ sender_id: await american(pair, stack) })),
    { error: 'Business-initiated calls are not allowed from the country of the sender (US).' },
  ),
  one(
    'voice/request',
    'voice_template_not_found',
    ofPair(({ ask }) => ask(), {}, []),
    {
      error_code: 'TEMPLATE_NOT_FOUND',
    },
  ),
  one(
    'voice/request',
    'voice_template_not_found',
    ofPair(({ ask }) => ask(), {}, [{ ...voiceTemplate, status: 'pending' }]),
    { error_code: 'TEMPLATE_NOT_FOUND' },
  ),
  one(
    'voice/request',
    'session_closed',
    ofPair(({ ask }) => ask()),
  ),
  one(
    'voice/request',
    'request_limit',
    ofPair(async ({ ask, asked, write: hears }) => {
      await hears();
      await asked();
      return ask();
    }),
    limit('already_asked_24h'),
  ),
  one(
    'voice/request',
    'request_limit',
    ofPair(async ({ ask, asked, write: hears }, stack) => {
      for (let count = 0; count < 2; count += 1) {
        await hears();
        await asked();
        await advance(stack, hours(24) + 1);
      }
      await hears();
      return ask();
    }),
    limit('weekly_cap'),
  ),
  one(
    'voice/request',
    'request_limit',
    ofPair(async ({ ask, asked, reply, write: hears }) => {
      await hears();
      await asked();
      await reply('accept', true);
      return ask();
    }),
    { ...limit('already_granted', null), error: 'The customer has already granted permission to call.' },
  ),
  one(
    'voice/request',
    'send_failed',
    ofPair(async ({ ask, write: hears }, stack) => {
      await hears();
      await fault(stack, 'send_permission_request', 'reject');
      return ask();
    }),
    refusedByPlatform,
  ),
  one('voice/call', 'invalid', call({ sender_id: 0 }), wrong('sender_id')),
  one('voice/call', 'not_found', call({ sender_id: nobody }), noSender),
  one('voice/call', 'invalid_phone', call({ recipient_phone: '+12' })),
  one('voice/call', 'voice_disabled', call({}, { calling_enabled: false })),
  one('voice/call', 'call_not_permitted', call({})),
];
