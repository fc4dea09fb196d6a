import { expect, test } from 'vitest';
import { piecesOf, replyTo } from './answer.ts';

test('a reply shows the customer’s last message and is the same each time', () => {
  const conversation = [
    { role: 'system', content: 'You are helpful.' },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello!' },
    { role: 'user', content: ' Where is my order? ' },
  ];
  expect(replyTo(conversation)).toBe(
    'Thank you for your message: “Where is my order?” How else can I help you?',
  );
  expect(replyTo(conversation)).toBe(replyTo(conversation));
});

test('a conversation without a question gets a greeting', () => {
  expect(replyTo([{ role: 'system', content: 'Greet.' }])).toBe('Hello! How can I help you?');
});

test('the pieces of a streamed reply are the reply', () => {
  const reply = replyTo([{ role: 'user', content: 'one  two\nthree' }]);
  expect(piecesOf(reply).join('')).toBe(reply);
});
