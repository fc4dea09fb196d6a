import { randomUUID } from 'node:crypto';
import type { Answer, Api } from './api.ts';
import { createAssistant } from './assistants.ts';
import { connectedSender } from './chat-platform.ts';

/** The `data` of an answer that must be a success. */
export function dataOf<T = Record<string, unknown>>(answer: Answer): T {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return (answer.body as { data: T }).data;
}

export interface Campaign {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly leads_count: number;
}
export interface Lead {
  readonly id: number;
  readonly phone_number: string;
  readonly status: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly secondary_contacts: readonly { readonly id: number; readonly phone_number: string }[];
}

const sms = { channel: 'sms', body: 'Hello {{name}}' };

export const makeCampaign = async (api: Api, settings: object = sms): Promise<Campaign> =>
  dataOf<Campaign>(await api.post('/api/user/campaign', { name: `Campaign ${randomUUID()}`, ...settings }));

/** Made for the account: what a campaign of each channel needs. */
export const settingsOf: Readonly<Record<'call' | 'chatapp' | 'sms', (api: Api) => Promise<object>>> = {
  call: async (api) => ({ channel: 'call', assistant_id: await createAssistant(api, { type: 'outbound' }) }),
  async chatapp(api) {
    const { id, templates } = await connectedSender(api, {}, [{ name: 'hello' }]);
    return { channel: 'chatapp', sender_id: id, template_id: templates.hello?.id };
  },
  sms: async () => sms,
};

/** Valid numbers, each another one. */
export const phoneNumber = (n: number): string => `+1415${2_000_000 + n}`;

export const listOf = async <T = Lead>(api: Api, path: string): Promise<{ data: T[]; total: number }> =>
  (await api.get(path)).body as { data: T[]; total: number };
