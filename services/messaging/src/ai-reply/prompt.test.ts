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

  test('is what was said before it, whatever ids the copies of the service have given out', () =>
    expect(
      promptFor(
        '',
        [
          { id: 1_001, direction: 'inbound', text: 'Hi' },
          { id: 1, direction: 'outbound', text: 'Hello' },
          { id: 2, direction: 'inbound', text: 'When is it ready?' },
          { id: 1_002, direction: 'outbound', text: 'Tomorrow' },
          { id: 2_001, direction: 'inbound', text: 'And where?' },
          { id: 3, direction: 'inbound', text: 'Never mind' },
        ],
        2_001,
      ).map(({ content }) => content),
    ).toEqual(['Hi', 'Hello', 'When is it ready?', 'Tomorrow', 'And where?']));

  test('is also what was answered in the meantime', () =>
    expect(
      promptFor(
        '',
        [
          { id: 1, direction: 'inbound', text: 'Where?' },
          { id: 2, direction: 'inbound', text: 'And when?' },
          { id: 3, direction: 'outbound', text: 'Here' },
        ],
        1,
      ),
    ).toEqual([
      { role: 'user', content: 'Where?' },
      { role: 'assistant', content: 'Here' },
    ]));

  test('has no empty instructions', () =>
    expect(promptFor(' ', [{ id: 1, direction: 'inbound', text: 'Hi' }], 1)).toEqual([
      { role: 'user', content: 'Hi' },
    ]));
});
