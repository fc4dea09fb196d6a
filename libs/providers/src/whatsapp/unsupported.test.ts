import { expect, test } from 'vitest';
import { changed, common, metadata, read, said } from './callback.fixture.ts';

const bare = { id: 'wamid.1', from: '491711234567', timestamp: '1800000000', type: 'unsupported' };
const errors = [{ code: 131051, title: 'Message type unknown' }];
const receivedAs = (unsupported?: unknown) =>
  read(changed('messages', { metadata, messages: [{ ...bare, errors, unsupported }] }));

test.each(['pin', 'keep_in_chat', 'poll_update', 'edit', 'image'])(
  'what WhatsApp cannot pass on is told as what it is: %s',
  (type) => {
    expect(receivedAs({ type })).toEqual([{ ...said, name: null, kind: type, text: null }]);
  },
);

test.each([undefined, null, {}, { type: 'errors' }, { type: 7 }, { type: 'A thing\u0000' }])(
  'or as unsupported, where it does not say: %j',
  (unsupported) => {
    expect(receivedAs(unsupported)).toEqual([{ ...said, name: null, kind: 'unsupported', text: null }]);
  },
);

test('a message is what it is, whatever stands beside it', () => {
  const text = { ...bare, type: 'text', text: { body: 'Hi' }, unsupported: { type: 'pin' } };
  expect(read(changed('messages', { metadata, messages: [text] }))).toMatchObject([{ kind: 'text' }]);
});

test('a business that pins a message in the app has not written', () => {
  const echoed = (type: string) => {
    const echo = { ...bare, to: '491711234567', unsupported: { type } };
    return read(changed('smb_message_echoes', { metadata, message_echoes: [echo] }));
  };
  expect(echoed('pin')).toEqual([]);
  expect(echoed('poll_creation')).toEqual([
    { ...common, type: 'message_sent_by_hand', kind: 'poll_creation', text: null },
  ]);
});
