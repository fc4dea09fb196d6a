import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Sends an SMS twice: first while one of the SDK's files cannot be opened. Only Node itself keeps what has failed. */
const program = (file: string) => `
  import fs from 'node:fs';
  const { createTwilioCarrier } = await import(${JSON.stringify(new URL('twilio.ts', import.meta.url).href)});
  const carrier = createTwilioCarrier({ baseUrl: 'http://127.0.0.1:1', accountSid: 'AC1', authToken: 'token' });
  const sms = { from: '+4930901820', to: '+491701234567', body: 'Hello', statusUrl: 'https://a.test', validForSeconds: null };
  const { readFileSync } = fs;
  fs.readFileSync = (path, ...options) => {
    if (String(path).endsWith(${JSON.stringify(file)})) throw new Error('EMFILE: too many open files');
    return readFileSync(path, ...options);
  };
  const first = await carrier.sendSms(sms);
  fs.readFileSync = readFileSync;
  console.log(JSON.stringify([first, await carrier.sendSms(sms)]));
`;

test.each(['/twilio/lib/index.js', '/twilio/lib/rest/Twilio.js'])(
  'nothing was sent where the SDK could not be loaded, as its %s; later it is',
  async (file) => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--conditions=source',
      '--input-type=module',
      '--eval',
      program(file),
    ]);
    expect(JSON.parse(stdout)).toMatchObject([
      { kind: 'unavailable', message: expect.stringContaining('loaded') },
      { kind: 'unavailable', message: expect.stringContaining('ECONNREFUSED') },
    ]);
  },
);
