import { describe, expect, test } from 'vitest';
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

  test('has no empty instructions', () =>
    expect(promptFor(' ', [{ direction: 'inbound', text: 'Hi' }])).toEqual([
      { role: 'user', content: 'Hi' },
    ]));
});
