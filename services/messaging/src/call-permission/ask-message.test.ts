import { expect, test } from 'vitest';
import { template } from '../message/draft/send.fixture.ts';
import { askMessage, askOfReference } from './ask-message.ts';

const to = { askId: 'a', phone: '+491701234567', name: 'Ada' };

test('an ask greets the customer by name on one line, or by number where no name is known', () => {
  const greeted = (name: string | null) => {
    const { content } = askMessage(template, { ...to, name });
    return content.type === 'template' ? content.parameters : [];
  };
  expect(greeted('Ada')).toEqual([{ key: '1', value: 'Ada' }]);
  expect(greeted(' Ada\n\tLovelace     Byron ')).toEqual([{ key: '1', value: 'Ada Lovelace Byron' }]);
  for (const name of [null, '', ' \n']) expect(greeted(name)).toEqual([{ key: '1', value: '+491701234567' }]);
});

test('an ask is recognised by its reference, and nothing else is', () => {
  expect(askOfReference(askMessage(template, to).reference)).toBe('a');
  for (const other of [null, '', 'message-31']) expect(askOfReference(other)).toBeNull();
});
