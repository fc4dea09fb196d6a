import { describe, expect, test } from 'vitest';
import { changed, common, corrected, metadata, read } from './callback.fixture.ts';

const sent = { id: 'wamid.1', from: '16315553601', to: '491711234567', timestamp: '1800000000' };
const echoed = (message: object) => {
  const value = { messaging_product: 'whatsapp', metadata, message_echoes: [{ ...sent, ...message }] };
  return read(changed('smb_message_echoes', value));
};

describe('what a person writes in the app itself', () => {
  test.each([
    ['text', { type: 'text', text: { body: 'At nine.' } }, 'At nine.'],
    ['image', { type: 'image', image: { id: '1', caption: 'Like this' } }, 'Like this'],
    ['audio', { type: 'audio', audio: { id: '1' } }, null],
    ['edit', corrected({ type: 'text', text: { body: 'At ten.' } }), 'At ten.'],
  ])('is told with its text, also of the kind %s', (kind, message, text) => {
    expect(echoed(message)).toEqual([{ ...common, type: 'message_sent_by_hand', kind, text }]);
  });

  test('is told by the number however that is written, or by what the platform calls who hides it', () => {
    const text = { type: 'text', text: { body: 'At nine.' } };
    expect(echoed({ ...text, to: '+491711234567' })).toMatchObject([{ contact: '+491711234567' }]);
    const to_user_id = 'US.13491208655302741918';
    expect(echoed({ ...text, to: undefined, to_user_id })).toMatchObject([{ contact: to_user_id }]);
    expect(echoed({ ...text, to: undefined })).toEqual([]);
  });

  test('is no message where one is taken back or smiled at, or when it is for a group', () => {
    expect(echoed({ type: 'revoke', revoke: { original_message_id: 'wamid.0' } })).toEqual([]);
    expect(echoed({ type: 'reaction', reaction: { message_id: 'wamid.0', emoji: '👍' } })).toEqual([]);
    expect(echoed({ type: 'text', text: { body: 'All of you' }, group_id: '1' })).toEqual([]);
  });
});
