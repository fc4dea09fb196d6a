import { randomUUID } from 'node:crypto';
import { getCallPermission, requestCallPermission } from '@parley/contracts';
import { connectBusClient } from '@parley/message-bus';
import { eventually } from '@parley/testing';
import { request } from 'undici';
import { expect } from 'vitest';
import type { z } from 'zod';
import { registerTestAccount } from '../support/accounts.ts';
import { type Answer, type Api, createApi } from '../support/api.ts';
import {
  advanceClock,
  connectedSender,
  control,
  freshCustomerNumber,
  type PlatformNumber,
  type PlatformTemplate,
  type TestSender,
} from '../support/chat-platform.ts';
import { comingBack } from '../support/coming-back.ts';
import { sharedStack } from '../support/shared-stack.ts';

type Permission = z.output<typeof getCallPermission.success.schema>;

export const voiceTemplate: PlatformTemplate = {
  name: 'may_we_call',
  kind: 'voice_call_request',
  body_text: 'May we call?',
};

/** A stack, as far as these tests need it: the shared one, or one whose clock may be moved. */
export interface Place {
  readonly baseUrl: string;
  readonly natsUrl: string;
  readonly sandboxUrl: string;
}

export function sharedPlace(): Place {
  const { gatewayUrls, natsUrl, sandboxUrl } = sharedStack();
  return { baseUrl: gatewayUrls[0] ?? '', natsUrl, sandboxUrl };
}

/** An account with a sender and a customer of its own on a stack whose clock may be moved. */
export interface Pair {
  readonly accountId: number;
  readonly key: string;
  readonly api: Api;
  readonly sender: TestSender;
  readonly customer: string;
  /** The customer writes, and we know of it. */
  write(): Promise<void>;
  reply(response: 'accept' | 'reject' | 'revoke', permanent?: boolean): Promise<void>;
  ask(body?: object, key?: string): Promise<Answer>;
  /** A successful ask, checked against the contract. */
  asked(): Promise<z.output<typeof requestCallPermission.success.schema>>;
  permission(query?: string): Promise<Permission>;
}

export async function voicePair(
  stack: Place,
  number: PlatformNumber = {},
  templates: readonly PlatformTemplate[] = [voiceTemplate],
  customer = freshCustomerNumber(),
): Promise<Pair> {
  const bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
  const account = await registerTestAccount(bus);
  await bus.close();
  const api = comingBack(createApi(stack.baseUrl, account.key));
  const { sandboxUrl } = stack;
  const sender = await connectedSender(api, { calling_enabled: true, ...number }, templates, { sandboxUrl });
  const parties = { to: sender.phone, from: customer };
  const query = `sender_id=${sender.id}&recipient_phone=${encodeURIComponent(customer)}`;
  // Under a key of its own: whoever comes back because it took long asks no second time.
  const ask = (body: object = {}, key: string = randomUUID()) =>
    api.post(
      '/api/user/chatapp/voice/request',
      { sender_id: sender.id, recipient_phone: customer, ...body },
      { 'idempotency-key': key },
    );
  const permission = async (extra = ''): Promise<Permission> => {
    const answer = await api.get(`/api/user/chatapp/voice/permission?${query}${extra}`);
    expect(answer.status, answer.text).toBe(200);
    return getCallPermission.success.schema.parse(answer.body);
  };
  return {
    accountId: account.id,
    key: account.key,
    api,
    sender,
    customer,
    ask,
    permission,
    async write() {
      const text = `Hello ${randomUUID()}`;
      await control('chat/inbound', { ...parties, text }, sandboxUrl);
      await eventually(async () => {
        const { conversation_id, session_open } = await permission();
        expect(session_open).toBe(true);
        expect((await api.get(`/api/user/conversations/${conversation_id}`)).text).toContain(text);
      });
    },
    async reply(response, permanent = false) {
      const before = (await permission()).status;
      await control('chat/permission-reply', { ...parties, response, permanent }, sandboxUrl);
      const status = { accept: 'granted', reject: 'rejected', revoke: 'revoked' }[response];
      expect(before).not.toBe(status);
      await eventually(async () => expect((await permission()).status).toBe(status));
    },
    async asked() {
      const answer = await ask();
      expect(answer.status, answer.text).toBe(200);
      return requestCallPermission.success.schema.parse(answer.body);
    },
  };
}

export const hours = (count: number): number => count * 3600;

/** The platform's clock goes forward, for every service of the stack. */
export const advance = (stack: Place, seconds: number): Promise<unknown> =>
  advanceClock(seconds, stack.sandboxUrl);

interface LoggedRequest {
  readonly operation: string;
  readonly body: { readonly to?: string } | null;
}

/** How often the chat platform was asked to ask this customer. */
export async function timesAsked(stack: Place, customer: string): Promise<number> {
  const response = await request(`${stack.sandboxUrl}/control/requests?provider=chat`);
  const answer = (await response.body.json()) as { data?: LoggedRequest[] } | LoggedRequest[];
  const requests = Array.isArray(answer) ? answer : (answer.data ?? []);
  return requests.filter(
    ({ operation, body }) => operation === 'send_permission_request' && `+${body?.to}` === customer,
  ).length;
}

export const error = (code: string) => expect.objectContaining({ success: false, error_code: code });
