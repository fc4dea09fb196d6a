import { describe, expect, test } from 'vitest';
import { promptFor } from './prompt.ts';

describe('what the language model is shown', () => {
  test('is the instructions and the conversation up to the message it answers', () =>
    expect(
      promptFor(
        'Be kind.',
        [
          { id: 1, direction: 'outbound', text: 'Hello Ada' },
          { id: 2, direction: 'inbound', text: 'When is it ready?' },
          { id: 3, direction: 'inbound', text: null },
          { id: 4, direction: 'inbound', text: 'And where?' },
        ],
        2,
      ),
    ).toEqual([
      { role: 'system', content: 'Be kind.' },
      { role: 'assistant', content: 'Hello Ada' },
      { role: 'user', content: 'When is it ready?' },
    ]));

  test('has no empty instructions', () =>
    expect(promptFor(' ', [{ id: 1, direction: 'inbound', text: 'Hi' }], 1)).toEqual([
      { role: 'user', content: 'Hi' },
    ]));
});
