import { randomUUID } from 'node:crypto';
import type { Api } from './api.ts';

/** The least an assistant needs, and what a test adds to it. */
export const assistantBody = (extra: object = {}): Record<string, unknown> => ({
  name: `Assistant ${randomUUID()}`,
  type: 'outbound',
  mode: 'pipeline',
  voice_id: 1,
  language_id: 1,
  llm_model_id: 1,
  timezone: 'Europe/Berlin',
  initial_message: 'Hello!',
  system_prompt: 'You are helpful.',
  ...extra,
});

/** The id of a new assistant. */
export async function createAssistant(api: Api, extra: object = {}): Promise<number> {
  const { status, text, body } = await api.post('/api/user/assistant', assistantBody(extra));
  if (status !== 201) throw new Error(`${status} ${text}`);
  return (body as { data: { id: number } }).data.id;
}

/** An assistant as the API shows it. */
export async function getAssistant(api: Api, id: number): Promise<Record<string, unknown>> {
  const { status, text, body } = await api.get(`/api/user/assistant/${id}`);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return (body as { data: Record<string, unknown> }).data;
}
