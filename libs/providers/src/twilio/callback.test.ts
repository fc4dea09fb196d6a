import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { readTwilioSmsCallback } from './callback.ts';

const token = 'a token';
const url = 'https://parley.example.com/hooks/sms/twilio?reference=sms-7';

/** As Twilio documents it: the URL, then every parameter by name, each followed by its value. */
const sign = (form: URLSearchParams, target = url, secret = token): string => {
  const sorted = [...form].sort(([a], [b]) => (a < b ? -1 : 1));
  const signed = target + sorted.map(([name, value]) => name + value).join('');
  return createHmac('sha1', secret).update(signed).digest('base64');
};
const formOf = (values: Record<string, string>) =>
  new URLSearchParams({ MessageSid: 'SM1', MessageStatus: 'delivered', To: '+49 171', ...values });
const read = (form: URLSearchParams, signature = sign(form), target = url) =>
  readTwilioSmsCallback(token, { url: target, body: Buffer.from(form.toString()), signature });

test.each([
  ['sent', 'sent'],
  ['delivered', 'delivered'],
  ['undelivered', 'failed'],
  ['failed', 'failed'],
])('%s is told as %s', (MessageStatus, status) =>
  expect(read(formOf({ MessageStatus }))).resolves.toEqual({
    kind: 'report',
    report: { sid: 'SM1', status, errorCode: null },
  }),
);

test('why an SMS failed is told by Twilio’s number', () =>
  expect(read(formOf({ MessageStatus: 'undelivered', ErrorCode: '30003' }))).resolves.toMatchObject({
    report: { status: 'failed', errorCode: '30003' },
  }));

test('a status on the way there is nothing to act on', () =>
  expect(read(formOf({ MessageStatus: 'queued' }))).resolves.toEqual({ kind: 'report', report: null }));

test('another token, another URL or another word than what was signed is unsigned', async () => {
  const form = formOf({});
  await expect(read(form, sign(form, url, 'another token'))).resolves.toEqual({ kind: 'unsigned' });
  await expect(read(form, sign(form), url.replace('sms-7', 'sms-8'))).resolves.toEqual({ kind: 'unsigned' });
  await expect(read(formOf({ MessageStatus: 'failed' }), sign(form))).resolves.toEqual({ kind: 'unsigned' });
  for (const signature of ['', 'nonsense'])
    await expect(read(form, signature)).resolves.toEqual({ kind: 'unsigned' });
  await expect(read(form, sign(form), 'not a URL')).resolves.toEqual({ kind: 'unsigned' });
});

test('what is signed and says nothing of an SMS is malformed', () =>
  expect(read(new URLSearchParams({ AccountSid: 'AC1' }))).resolves.toEqual({ kind: 'malformed' }));
