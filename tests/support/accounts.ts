import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type InternalMessage, issueApiKey, registerAccount } from '@parley/contracts';
import {
  type BusClient,
  type BusReply,
  type BusRequest,
  connectBusClient,
  isMomentary,
  isUnanswered,
} from '@parley/message-bus';
import type { z } from 'zod';
import { type Api, createApi } from './api.ts';
import { comingBack } from './coming-back.ts';
import { sharedStack } from './shared-stack.ts';

export interface TestAccount {
  readonly id: number;
  readonly key: string;
}

/** The base URLs of the shared stack's two gateways. */
export const gatewayUrls = (): readonly string[] => sharedStack().gatewayUrls;

/** Clients of the account at the first and at the second gateway; both come back when a gateway is busy. */
export function accountApis({ key }: TestAccount): [Api, Api] {
  const [first = '', second = ''] = gatewayUrls();
  return [comingBack(createApi(first, key)), comingBack(createApi(second, key))];
}

/** A client of a fresh account at the first gateway. */
export const freshApi = async (): Promise<Api> => accountApis(await freshAccount())[0];

let shared: Promise<BusClient> | undefined;

/** An account of its own for each test, so that files run side by side. */
export async function freshAccount(): Promise<TestAccount> {
  return registerTestAccount(await sharedBus());
}

/** The shared stack's bus; a connection that failed is tried again by the next test. */
export function sharedBus(): Promise<BusClient> {
  shared ??= connectBusClient({ servers: sharedStack().natsUrl, name: 'tests' }).catch((error: unknown) => {
    shared = undefined;
    throw error;
  });
  return shared;
}

export async function registerTestAccount(bus: BusClient): Promise<TestAccount> {
  const email = `${randomUUID()}@tests.parley.test`;
  const { account_id } = await ask(bus, registerAccount, { email, name: 'Test', billing_unit: 'credits' });
  const issue = async () => (await ask(bus, issueApiKey, { account_id, name: 'test' })).token;
  // A repeated request for a key shows no token, so a key whose first answer was lost is replaced by another.
  const token = (await issue()) ?? (await issue());
  if (token === null) throw new Error('A fresh key came without its token.');
  return { id: account_id, key: token };
}

/** Asks a service over the bus, as another service does, until it answers. */
export async function ask<I extends z.ZodType, O extends z.ZodType>(
  bus: BusClient,
  message: InternalMessage<I, O>,
  input: z.input<I>,
  timeoutMs = 10_000,
  accountId: number | null = null,
): Promise<z.output<O>> {
  const reply = await untilAnswered(bus, {
    service: message.service,
    subject: `${message.kind === 'command' ? 'cmd' : 'qry'}.${message.service}.${message.name}`,
    payload: JSON.stringify(input),
    context: {
      accountId,
      actor: { kind: 'operator', id: 'tests' },
      commandId: message.kind === 'command' ? randomUUID() : null,
      fingerprint: null,
      correlationId: randomUUID(),
      expectedVersion: null,
      baseUrl: null,
      timeoutMs,
    },
  });
  if (reply.kind === 'rejected') throw new Error(`${message.name}: ${JSON.stringify(reply.rejection)}`);
  return message.output.parse(JSON.parse(reply.body));
}

/** One that stands still is asked again for a minute: under its one id a command takes effect once. */
async function untilAnswered(bus: BusClient, request: BusRequest): Promise<BusReply> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    try {
      const reply = await bus.request(request);
      const isFinal = reply.kind === 'ok' || !isMomentary(reply.rejection);
      if (isFinal || performance.now() > deadline) return reply;
    } catch (error) {
      if (!isUnanswered(error) || performance.now() > deadline) throw error;
    }
    await sleep(100);
  }
}
