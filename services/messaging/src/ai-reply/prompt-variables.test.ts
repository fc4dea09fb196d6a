import { expect, test } from 'vitest';
import { promptVariables } from './prompt-variables.ts';

test('a prompt may say when, in the time zone of its assistant, and who has written', () => {
  const occasion = { sentAt: '2026-11-28T23:30:00Z', contactPhone: '+491701234567', contactName: 'Ada' };
  expect(promptVariables(occasion, 'Europe/Berlin')).toEqual({
    now: expect.stringMatching(/^Sunday,? 29 November 2026 at 00:30 \(Europe\/Berlin\)$/),
    customer_name: 'Ada',
    customer_phone: '+491701234567',
  });
  expect(promptVariables({ ...occasion, contactName: null }, 'America/New_York')).toMatchObject({
    now: expect.stringMatching(/^Saturday,? 28 November 2026 at 18:30 \(America\/New_York\)$/),
    customer_name: null,
  });
});
