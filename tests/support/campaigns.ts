import { randomUUID } from 'node:crypto';
import type { Answer, Api } from './api.ts';

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

/** Settings of a new campaign of each channel; a call campaign needs an outbound assistant besides. */
export const settingsOf = {
  sms: { channel: 'sms', body: 'Hello {{name}}' },
  chatapp: { channel: 'chatapp', sender_id: 1, template_id: 1 },
} as const;

export const makeCampaign = async (api: Api, settings: object = settingsOf.sms): Promise<Campaign> =>
  dataOf<Campaign>(await api.post('/api/user/campaign', { name: `Campaign ${randomUUID()}`, ...settings }));

export const makeAssistant = async (api: Api, type: 'inbound' | 'outbound'): Promise<number> =>
  dataOf<{ id: number }>(
    await api.post('/api/user/assistant', {
      name: `Assistant ${randomUUID()}`,
      type,
      mode: 'pipeline',
      voice_id: 1,
      language_id: 1,
      llm_model_id: 1,
      timezone: 'Europe/Berlin',
      initial_message: 'Hello',
      system_prompt: 'Be kind.',
    }),
  ).id;

export const makeCallCampaign = async (api: Api): Promise<Campaign> =>
  makeCampaign(api, { channel: 'call', assistant_id: await makeAssistant(api, 'outbound') });

/** Valid numbers, each another one. */
export const phoneNumber = (n: number): string => `+1415${2_000_000 + n}`;

export const listOf = async <T = Lead>(api: Api, path: string): Promise<{ data: T[]; total: number }> =>
  (await api.get(path)).body as { data: T[]; total: number };
