import { type getCall, type OperationSuccess, topUpBalance } from '@parley/contracts';
import type { BusClient } from '@parley/message-bus';
import { eventually } from '@parley/testing';
import { ask, sharedBus } from './accounts.ts';
import type { Api } from './api.ts';
import { createAssistant } from './assistants.ts';
import { control, freshCustomerNumber } from './chat-platform.ts';
import { createSipTrunk, type SipTrunk } from './sip-trunks.ts';

export type Call = OperationSuccess<typeof getCall>['data'];

export interface CallingAssistant {
  readonly id: number;
  readonly trunk: SipTrunk;
}

/** Tops the account up by ten billing units. */
export async function fund(api: Api, bus?: BusClient): Promise<void> {
  const { id } = (await api.get('/api/user/me')).body as { id: number };
  const payment = { amount_micros: 10_000_000, description: 'Test', reference: null };
  await ask(bus ?? (await sharedBus()), topUpBalance, { account_id: id, ...payment });
}

/** An assistant with a SIP trunk of its own, which calls or answers. */
export async function callingAssistant(api: Api, settings: object = {}): Promise<CallingAssistant> {
  const trunk = await createSipTrunk(api);
  return { id: await createAssistant(api, { phone_number_id: trunk.id, ...settings }), trunk };
}

export async function ownCallingAssistant(api: Api): Promise<number> {
  await fund(api);
  return (await callingAssistant(api)).id;
}

export async function makeCall(api: Api, assistantId: number, phone = freshCustomerNumber()): Promise<Call> {
  const body = { assistant_id: assistantId, phone_number: phone };
  const answer = await api.post('/api/user/make_call', body);
  if (answer.status !== 201) throw new Error(`No call: ${answer.text}`);
  return (answer.body as { data: Call }).data;
}

/** Makes a call that rings and to which nothing more happens by itself; resolves with its id. */
export async function ownCall(api: Api): Promise<number> {
  const { id } = await makeCall(api, await ownCallingAssistant(api));
  await callIn(api, id, 'ringing');
  return id;
}

export async function readCall(api: Api, id: number): Promise<Call> {
  const answer = await api.get(`/api/user/calls/${id}`);
  if (answer.status !== 200) throw new Error(`No call: ${answer.text}`);
  return (answer.body as { data: Call }).data;
}

/** Resolves with the call once it has this status. */
export const callIn = (api: Api, id: number, status: Call['status']): Promise<Call> =>
  eventually(async () => {
    const found = await readCall(api, id);
    if (found.status !== status) throw new Error(`Call ${id} is ${found.status}, not ${status}.`);
    return found;
  });

interface Played {
  readonly outcome: 'completed' | 'no-answer' | 'busy' | 'failed';
  readonly duration_s?: number;
  readonly transcript?: unknown;
  readonly recording_url?: string;
  readonly recording_follows?: boolean;
  readonly extracted_variables?: object;
}

/** Ends a ringing outbound call with this outcome, as the customer would. */
export const endCall = (
  { customer_phone: to, assistant_phone: from }: Pick<Call, 'customer_phone' | 'assistant_phone'>,
  played: Played,
  sandboxUrl?: string,
) => control('calls', { direction: 'outbound', to, from, ...played }, sandboxUrl);
