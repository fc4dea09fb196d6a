import { expect, test } from 'vitest';
import type { z } from 'zod';
import { automationActionInputs } from '../automation/actions.ts';
import { createApiKey } from '../operations/accounts.ts';
import { requestCallPermission } from '../operations/call-permissions.ts';
import { sendChatAppTemplate, sendFreeform } from '../operations/chatapp-messages.ts';
import { backfillWebhooks } from '../operations/webhooks.ts';
import { fieldErrors } from './field-errors.ts';

const fields = [
  ['an API key’s end', (at: string) => createApiKey.body.safeParse({ name: 'CI', expires_at: at })],
  ['a back-fill’s start', (at: string) => backfillWebhooks.body.safeParse({ event: 'post_call', since: at })],
] as const;

test.each(fields)('%s is a moment whose year has four digits in UTC', (_, parse) => {
  for (const at of ['2026-11-23T01:00:00Z', '9999-12-31T23:59:59Z', '9999-12-31T23:59:59+14:00'])
    expect(parse(at).success, at).toBe(true);
  for (const at of ['tomorrow', '', '9999-12-31T23:59:59-14:00', '0000-01-01T00:00:00+14:00'])
    expect(parse(at).success, at).toBe(false);
});

const recipient = { template_id: 1, recipient_phone: '+491701234567' };
const named = {
  'a template send': sendChatAppTemplate.body,
  'a call request': requestCallPermission.body,
  'an action that sends': automationActionInputs['chatapp.send_template'],
  'an action that asks': automationActionInputs['chatapp.request_call_permission'],
};

test.each(Object.entries(named))(
  '%s takes a recipient without a name, however that is said',
  (what, input) => {
    const to = what.startsWith('an action') ? recipient : { sender_id: 1, ...recipient };
    for (const name of [{}, { recipient_name: null }, { recipient_name: '' }, { recipient_name: 'Ada' }])
      expect(input.safeParse({ ...to, ...name }).success, JSON.stringify(name)).toBe(true);
    expect(input.safeParse({ ...to, recipient_name: 'a'.repeat(256) }).success).toBe(false);
  },
);

const errorsOf = (schema: z.ZodType, input: object) => {
  const { error } = schema.safeParse(input);
  return error ? fieldErrors(error, input) : {};
};

test('a message of blanks alone is none, and as long as any other', () => {
  const saying = (message: string) =>
    errorsOf(sendFreeform.body, { sender_id: 1, recipient_phone: '+491701234567', message });
  for (const blank of ['', ' ', '\n', '\t \r\n', '\u00a0', '\u2028'])
    expect(saying(blank), JSON.stringify(blank)).toEqual({ message: ['The message field is required.'] });
  for (const written of ['.', ' a ', '\n0', '😀'.repeat(4096)]) expect(saying(written)).toEqual({});
  expect(saying('a'.repeat(4097))).toEqual({
    message: ['The message field must not be greater than 4096 characters.'],
  });
});

test('what is no value of a template’s variable is told what is one', () => {
  const errorOf = (value: unknown) =>
    errorsOf(sendChatAppTemplate.body, { sender_id: 1, ...recipient, variables: { name: value } });
  for (const value of ['Ada', '', 5, 0.5]) expect(errorOf(value)).toEqual({});
  for (const value of [null, true, {}, []])
    expect(errorOf(value)).toEqual({
      'variables.name': ['The variables.name field must be a string or a number.'],
    });
  expect(errorOf('a'.repeat(1025))).toEqual({
    'variables.name': ['The variables.name field must not be greater than 1024 characters.'],
  });
});
