import { describe, expect, test } from 'vitest';
import { backoffMs, isOutage, pause } from './backoff.ts';

describe('backing off', () => {
  test('doubles with every attempt up to the longest', () => {
    expect([1, 2, 3, 4].map((attempt) => backoffMs(attempt, 100, 500))).toEqual([100, 200, 400, 500]);
    expect(backoffMs(10_000, 100, 500)).toBe(500);
  });

  test('ends a pause at once when told to stop', async () => {
    const stop = new AbortController();
    const pausing = pause(3_600_000, stop.signal);
    stop.abort();
    await expect(pausing).resolves.toBeUndefined();
    await expect(pause(3_600_000, stop.signal)).resolves.toBeUndefined();
  });
});

describe('an outage', () => {
  const withCode = (code: string) => Object.assign(new Error('failed'), { code });
  const named = (name: string) => Object.assign(new Error('failed'), { name });

  test.each([
    ['a refused connection', withCode('ECONNREFUSED')],
    [
      'a socket that is not there yet',
      Object.assign(new Error('connect ENOENT /a/.s.PGSQL.1'), { code: 'ENOENT' }),
    ],
    ['a host that is not reached', withCode('EHOSTUNREACH')],
    ['a network that is not reached', withCode('ENETUNREACH')],
    ['a network that is down', withCode('ENETDOWN')],
    ['a machine without a free port', withCode('EADDRNOTAVAIL')],
    ['a process without a free file', withCode('EMFILE')],
    ['a server that does not answer who connects', new Error('timeout expired')],
    ['a server that lets nobody in', withCode('28P01')],
    ['a server that takes no changes', withCode('25006')],
    ['a disk that fails', withCode('58030')],
    ['a name that is not resolved', withCode('EAI_FAIL')],
    ['a certificate that has expired', withCode('CERT_HAS_EXPIRED')],
    ['a certificate of somebody unknown', withCode('DEPTH_ZERO_SELF_SIGNED_CERT')],
    ['a certificate without its issuer', withCode('UNABLE_TO_VERIFY_LEAF_SIGNATURE')],
    ['a certificate of another host', withCode('ERR_TLS_CERT_ALTNAME_INVALID')],
    ['a server that does not speak TLS as it says', withCode('EPROTO')],
    ['a server that has no TLS', new Error('The server does not support SSL connections')],
    [
      'a server that does not say whether it has TLS',
      new Error('There was an error establishing an SSL connection'),
    ],
    ['a server that shuts down', withCode('57P01')],
    ['a deadlock', withCode('40P01')],
    ['a lost connection', new Error('Connection terminated unexpectedly')],
    ['a server that stands still', new Error('Query read timeout')],
    ['a full queue', named('AppendQueueFull')],
    ['a stream that others write without pause', named('Contended')],
    ['an unreachable log', named('StoreUnavailable')],
    ['an unreachable service', named('ServiceUnavailable')],
    ['no answer in time', named('RequestTimedOut')],
    ['a key that this process was not given yet', named('SealKeyMissing')],
    ['a part of the program that could not be loaded', named('NotLoaded')],
  ])('is %s', (_name, error) => {
    expect(isOutage(error)).toBe(true);
  });

  test.each([
    ['a broken statement', withCode('42601')],
    ['a violated constraint', withCode('23505')],
    ['a missing file', Object.assign(new Error('open ENOENT /a'), { code: 'ENOENT' })],
    ['a bug', new TypeError('x is undefined')],
    ['something thrown that is no error', 'failed'],
  ])('is not %s', (_name, error) => {
    expect(isOutage(error)).toBe(false);
  });
});
