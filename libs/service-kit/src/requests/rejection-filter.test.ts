import 'reflect-metadata';
import { ExecutionContextHost } from '@nestjs/core/internal';
import { AppendQueueFull, Contended, StoreUnavailable } from '@parley/event-store';
import { RequestTimedOut, ServiceUnavailable, TooManyInFlight } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import { keyring, newKey } from '@parley/process-kit';
import { pino } from 'pino';
import { lastValueFrom } from 'rxjs';
import { expect, test } from 'vitest';
import { RejectionFilter } from './rejection-filter.ts';
import { RejectionError } from './replies.ts';

const context = new BusContext(
  {
    accountId: 1,
    actor: { kind: 'api_key', id: '1' },
    commandId: null,
    fingerprint: null,
    correlationId: 'request-1',
    expectedVersion: null,
    baseUrl: null,
    timeoutMs: 1000,
  },
  'cmd.assistants.create-folder',
);

function createFilter() {
  const lines: { level: number; subject?: string; requests?: number; err?: { message: string } }[] = [];
  const logger = pino({ level: 'trace' }, { write: (line) => lines.push(JSON.parse(line)) });
  const filter = new RejectionFilter(logger);
  const answer = (error: unknown) =>
    lastValueFrom(filter.catch(error, new ExecutionContextHost([{ name: 'Sales' }, context])));
  return { lines, answer };
}

/** As where keys are being rotated, and this copy has its turn later. */
function openWithoutItsKey(): unknown {
  try {
    return keyring().parse(newKey()).open(keyring().parse(newKey()).seal('+49301234567', 'lead-7'), 'lead-7');
  } catch (error) {
    return error;
  }
}

const coded = (code: string) => Object.assign(new Error('from Postgres or the network'), { code });

test.each([
  new StoreUnavailable('unknown'),
  new ServiceUnavailable('nobody listens'),
  new RequestTimedOut('too late'),
  coded('57P01'),
  coded('53300'),
  coded('08006'),
  coded('57014'),
  coded('40P01'),
  coded('EAI_AGAIN'),
  coded('ECONNREFUSED'),
  Object.assign(new Error('connect ENOENT /a/.s.PGSQL.1'), { code: 'ENOENT' }),
  new Error('Connection terminated unexpectedly'),
  openWithoutItsKey(),
])('"%s" is an outage: come back in a second', async (error) => {
  const { answer } = createFilter();
  expect(await answer(error)).toEqual({
    kind: 'rejected',
    rejection: { code: 'unavailable', retryAfterSeconds: 1, isOutage: true },
  });
});

test.each([new AppendQueueFull('full'), new TooManyInFlight('10000')])(
  '"%s" is no outage that asking again would wait for: come back in a second',
  async (error) => {
    const { answer } = createFilter();
    expect(await answer(error)).toEqual({
      kind: 'rejected',
      rejection: { code: 'unavailable', retryAfterSeconds: 1 },
    });
  },
);

test('a stream that others write without pause is answered as contended, and is no outage to log', async () => {
  const { answer, lines } = createFilter();
  expect(await answer(new Contended('lead-7'))).toEqual({
    kind: 'rejected',
    rejection: { code: 'contended', retryAfterSeconds: 1 },
  });
  expect(lines).toEqual([]);
});

test('a bug is answered without internals and logged with its request', async () => {
  const { answer, lines } = createFilter();
  for (const error of [new Error('hunter2'), coded('42P01'), 'a string', undefined])
    expect(await answer(error)).toEqual({ kind: 'rejected', rejection: { code: 'internal' } });
  expect(lines[0]).toMatchObject({ subject: 'cmd.assistants.create-folder', correlationId: 'request-1' });
  expect(lines[0]?.err?.message).toBe('hunter2');
  expect(lines).toHaveLength(4);
});

test('an expected no is answered as it is, and is nothing to log', async () => {
  const { answer, lines } = createFilter();
  const rejection = { code: 'unauthorized' } as const;
  expect(await answer(new RejectionError(rejection))).toEqual({ kind: 'rejected', rejection });
  expect(lines).toEqual([]);
});

test('an outage that fails every request is logged once a second', async () => {
  const { answer, lines } = createFilter();
  for (let n = 0; n < 100; n += 1) await answer(coded('ECONNREFUSED'));
  expect(lines).toHaveLength(1);
});
