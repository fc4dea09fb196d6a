import { type MessageReferral, noReferences } from '@parley/contracts';
import { describe, expect, test } from 'vitest';
import type { Said } from '../views/conversation-history.ts';
import { promptFor } from './prompt.ts';

describe('what the language model is shown', () => {
  test('is the instructions and the conversation', () =>
    expect(
      promptFor('Be kind.', [
        { direction: 'outbound', text: 'Hello Ada' },
        { direction: 'inbound', text: 'When is it ready?' },
      ]),
    ).toEqual([
      { role: 'system', content: 'Be kind.' },
      { role: 'assistant', content: 'Hello Ada' },
      { role: 'user', content: 'When is it ready?' },
    ]));

  test('ends with the message to be answered, since some models refuse a conversation that does not', () =>
    expect(
      promptFor('', [
        { direction: 'outbound', text: 'Hello Ada' },
        { direction: 'inbound', text: 'When is it ready?' },
        { direction: 'outbound', text: 'We have got your message.' },
      ]),
    ).toEqual([
      { role: 'assistant', content: 'Hello Ada\n\nWe have got your message.' },
      { role: 'user', content: 'When is it ready?' },
    ]));

  test('is in one turn what was said in a row, since some models want turns that alternate', () =>
    expect(
      promptFor('Be kind.', [
        { direction: 'inbound', text: 'Hi' },
        { direction: 'inbound', text: 'Are you there?' },
        { direction: 'outbound', text: 'Yes.' },
        { direction: 'inbound', text: 'When is it ready?' },
      ]),
    ).toEqual([
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Hi\n\nAre you there?' },
      { role: 'assistant', content: 'Yes.' },
      { role: 'user', content: 'When is it ready?' },
    ]));

  test('is beside a message what it goes back to', () => {
    const answered = {
      direction: 'inbound',
      text: 'Yes',
      references: { ...noReferences, in_reply_to_sid: 's' },
    } as const;
    const saying = (said: Partial<Said>) => promptFor('', [{ ...answered, ...said }])[0]?.content;
    expect(saying({ references: noReferences })).toBe('Yes');
    expect(saying({ quoted: 'Tuesday at 10?' })).toBe('[In reply to “Tuesday at 10?”]\nYes');
    expect(saying({ quoted: '😀'.repeat(301) })).toBe(`[In reply to “${'😀'.repeat(300)}…”]\nYes`);
    expect(saying({ quoted: null })).toBe('[In reply to an earlier message, whose words are not known]\nYes');
    expect(saying({ kind: 'reaction', quoted: 'Friday?', text: '👍' })).toBe('[Reacts to “Friday?”]\n👍');
    expect(saying({ kind: 'edit', quoted: 'One', text: 'Two' })).toBe('[Corrects “One”]\nTwo');
    expect(saying({ references: { ...noReferences, is_forwarded: true } })).toBe('[Forwarded]\nYes');
  });

  test('is by which ad or post a contact came', () => {
    const saying = (referral: MessageReferral) =>
      promptFor('', [{ direction: 'inbound', text: 'Hi', references: { ...noReferences, referral } }])[0]
        ?.content;
    const ad = {
      source_type: 'ad',
      headline: 'Summer sale',
      body: '20 % off',
      source_url: 'https://fb.me/1',
    };
    expect(saying({ ...ad, ctwa_clid: 'x', welcome_message: 'Which bike?' })).toBe(
      '[Came by the ad: Summer sale – 20 % off – https://fb.me/1]\n[Was greeted there with “Which bike?”]\nHi',
    );
    expect(saying({ source_type: 'post', body: 'New' })).toBe('[Came by the post: New]\nHi');
    // Of a contact who was erased nothing is left in it.
    expect(saying({})).toBe('Hi');
  });

  test('has no empty instructions', () =>
    expect(promptFor(' ', [{ direction: 'inbound', text: 'Hi' }])).toEqual([
      { role: 'user', content: 'Hi' },
    ]));
});
