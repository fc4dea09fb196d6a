import { expect, test } from 'vitest';
import { changed, common, corrected, metadata, read, said } from './callback.fixture.ts';

const hello = { type: 'text', text: { body: 'Hello' } };

const told = (message: object) =>
  read(
    changed('messages', {
      metadata,
      messages: [{ id: 'wamid.1', from: '491711234567', timestamp: '1800000000', ...message }],
    }),
  );

test('a message that quotes another one says which', () => {
  expect(told({ ...hello, context: { from: '16315553601', id: 'wamid.0' } })).toEqual([
    { ...said, name: null, kind: 'text', text: 'Hello', in_reply_to_sid: 'wamid.0' },
  ]);
});

test.each([
  ['reaction', { type: 'reaction', reaction: { message_id: 'wamid.0', emoji: '👍' } }],
  ['correction', corrected(hello)],
  ['message that was deleted', { type: 'revoke', revoke: { original_message_id: 'wamid.0' } }],
])('a %s says of which message', (_, message) =>
  expect(told(message)).toMatchObject([{ in_reply_to_sid: 'wamid.0' }]),
);

test.each(['forwarded', 'frequently_forwarded'])('a message that was %s says so', (how) =>
  expect(told({ ...hello, context: { [how]: true } })).toMatchObject([
    { is_forwarded: true, in_reply_to_sid: null },
  ]),
);

test.each([
  { type: 'button', button: { text: 'Yes', payload: 'yes-12' } },
  {
    type: 'interactive',
    interactive: { type: 'button_reply', button_reply: { id: 'yes-12', title: 'Yes' } },
  },
  { type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: 'yes-12', title: 'Yes' } } },
])('what is chosen comes with what the business has given it: %j', (message) =>
  expect(told({ ...message, context: { id: 'wamid.0' } })).toMatchObject([
    { text: 'Yes', payload: 'yes-12', in_reply_to_sid: 'wamid.0' },
  ]),
);

test.each([
  ['{"flow_token":"visit-7","day":"Friday"}', 'visit-7'],
  ['{"flow_token":"unused","day":"Friday"}', null],
  ['{"day":"Friday"}', null],
  ['{', null],
])('a form that is filled in comes with the token that it was sent with: %s', (response_json, payload) =>
  expect(
    told({ type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: { response_json } } }),
  ).toMatchObject([{ kind: 'interactive', payload }]),
);

test('a customer who comes by an ad comes with it', () => {
  const ad = {
    source_url: 'https://fb.me/3cr4Wqqkv',
    source_id: '120226305854810726',
    source_type: 'ad',
    body: 'Bring it today, ride it tomorrow.',
    headline: 'Repairs in a day',
    ctwa_clid: 'Aff-n8ZTODiE79d22KtAwQKj9e',
  };
  const more = { media_type: 'image', image_url: 'https://scontent.xx', welcome_message: { text: 'Hi!' } };
  expect(told({ ...hello, referral: { ...ad, ...more } })).toMatchObject([
    { text: 'Hello', referral: { ...ad, welcome_message: 'Hi!' } },
  ]);
  expect(told({ ...hello, referral: { ...ad, headline: 'a\u0000b', body: 1 } })).toMatchObject([
    { referral: { headline: 'ab', source_type: 'ad' } },
  ]);
  for (const nothing of [null, 'x', {}, { body: '' }])
    expect(told({ ...hello, referral: nothing })).toMatchObject([{ text: 'Hello', referral: null }]);
});

test.each([null, 'x', { id: 1 }, { id: '', forwarded: 'x' }])('%j is nothing to go back to', (context) =>
  expect(told({ ...hello, context })).toEqual([{ ...said, name: null, kind: 'text', text: 'Hello' }]),
);

test('a call permission says nothing of it beside its request', () => {
  const interactive = { type: 'call_permission_reply', call_permission_reply: { response: 'reject' } };
  expect(told({ interactive, context: { id: 'wamid.0' } })).toMatchObject([
    { ...common, type: 'call_permission_replied', request_message_id: 'wamid.0' },
  ]);
});
