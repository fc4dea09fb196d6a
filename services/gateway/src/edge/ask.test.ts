import {
  type BusClient,
  type BusReply,
  type BusRequest,
  RequestTimedOut,
  ServiceUnavailable,
} from '@parley/message-bus';
import { describe, expect, test } from 'vitest';
import { askUntilAnswered } from './ask.ts';

const ok: BusReply = { kind: 'ok', body: '{}' };
const stillRunning: BusReply = { kind: 'rejected', rejection: { code: 'idempotency_in_progress' } };
const request: BusRequest = {
  service: 'assistants',
  subject: 'cmd.assistants.create-folder',
  payload: '{}',
  context: {
    accountId: 1,
    actor: { kind: 'api_key', id: '1' },
    commandId: 'c',
    fingerprint: null,
    correlationId: 'r',
    expectedVersion: null,
    baseUrl: null,
    timeoutMs: 0,
  },
};

/** A bus whose tries end as told, one after the other. */
function busThat(...outcomes: (BusReply | Error)[]) {
  const asked: BusRequest[] = [];
  const bus: BusClient = {
    async request(request) {
      asked.push(request);
      const outcome = outcomes[Math.min(asked.length, outcomes.length) - 1];
      if (outcome === undefined || outcome instanceof Error) throw outcome;
      return outcome;
    },
    async close() {},
  };
  return { bus, asked };
}

describe('asking a service', () => {
  test('repeats the same command id until there is an answer', async () => {
    const { bus, asked } = busThat(new RequestTimedOut(), new ServiceUnavailable(), stillRunning, ok);
    expect(await askUntilAnswered(bus, request, 10_000)).toBe(ok);
    expect(asked.map(({ context }) => context.commandId)).toEqual(['c', 'c', 'c', 'c']);
  });

  test('gives a copy that may be dead 4 s, and never more than what is left', async () => {
    const { bus, asked } = busThat(new RequestTimedOut(), ok);
    await askUntilAnswered(bus, request, 4050);
    expect(asked[0]?.context.timeoutMs).toBe(4000);
    expect(asked[1]?.context.timeoutMs).toBeLessThanOrEqual(3950);
  });

  test('ends as timed out at the deadline', async () => {
    const { bus } = busThat(new RequestTimedOut());
    await expect(askUntilAnswered(bus, request, 250)).rejects.toThrow(RequestTimedOut);
  });

  test('does not ask again when nobody was there', async () => {
    const { bus, asked } = busThat(new ServiceUnavailable(), ok);
    await expect(askUntilAnswered(bus, request, 10_000)).rejects.toThrow(ServiceUnavailable);
    expect(asked).toHaveLength(1);
  });

  test('passes on that another request with the same key still runs', async () => {
    const { bus } = busThat(stillRunning, ok);
    expect(await askUntilAnswered(bus, request, 10_000)).toBe(stillRunning);
  });
});
