import { expect, test, vi } from 'vitest';

test('nothing was sent where the SDK could not be loaded, as while no file can be opened; later it is', async () => {
  vi.resetModules();
  vi.doMock('twilio', () => {
    throw new Error('ERR_INVALID_PACKAGE_CONFIG: too many open files');
  });
  const { createTwilioCarrier } = await import('./twilio.ts');
  const carrier = createTwilioCarrier({
    baseUrl: 'http://127.0.0.1:1',
    accountSid: 'AC1',
    authToken: 'token',
  });
  const send = () =>
    carrier.sendSms({
      ...{ from: '+4930901820', to: '+491701234567', body: 'Hello' },
      ...{ statusUrl: 'https://a.test', validForSeconds: null },
    });
  expect(await send()).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('loaded') });
  vi.doUnmock('twilio');
  expect(await send()).toMatchObject({
    kind: 'unavailable',
    message: expect.stringContaining('ECONNREFUSED'),
  });
});
