import { onTestFinished, vi } from 'vitest';
import type { BusClient, BusReply, BusRequest } from '../wire/message.ts';
import { createAsk } from './ask.ts';

export const ok: BusReply = { kind: 'ok', body: '{}' };
export const stillRunning: BusReply = { kind: 'rejected', rejection: { code: 'idempotency_in_progress' } };
export const unavailable: BusReply = { kind: 'rejected', rejection: { code: 'unavailable' } };
export const away: BusReply = { kind: 'rejected', rejection: { code: 'unavailable', isOutage: true } };
export const request: BusRequest = {
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

export const askUntilAnswered = (bus: BusClient, asked: BusRequest, timeoutMs: number) =>
  createAsk(bus, { patienceMs: 0 })(asked, timeoutMs);

/** Time passes as the test says until it ends. */
export function stopTime(): void {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
}

/** A bus whose tries end as told, one after the other. */
export function busThat(...outcomes: (BusReply | Error)[]) {
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

/** A bus whose tries are answered when the test wants them to be; time passes as it says. */
export function silentBus() {
  stopTime();
  const asked: { readonly request: BusRequest; readonly answer: (reply: BusReply) => void }[] = [];
  const bus: BusClient = {
    request: (request) => new Promise((answer) => asked.push({ request, answer })),
    async close() {},
  };
  return { bus, asked };
}
