import { randomInt, randomUUID } from 'node:crypto';
import {
  getConversation,
  getMe,
  listConversations,
  type OperationSuccess,
  sendChatAppTemplate,
} from '@parley/contracts';
import { eventually } from '@parley/testing';
import { expect } from 'vitest';
import { z } from 'zod';
import { type Answer, type Api, createApi } from '../support/api.ts';
import type { ChatAccount, ChatStack } from '../support/chat.ts';
import { untilDefinite } from '../support/coming-back.ts';

export const sendPath = '/api/user/chatapp/send';
export const freeformPath = '/api/user/chatapp/send-freeform';

/** The body of a send of the template that has no gaps. */
export const greeting = (from: ChatAccount, to: string) => ({
  sender_id: from.senderId,
  template_id: from.templates.greeting,
  recipient_phone: to,
});

/** What a successful send was answered with, checked against the contract. */
export function sentBody({ status, body, text }: Answer): OperationSuccess<typeof sendChatAppTemplate> {
  expect(status, text).toBe(200);
  return sendChatAppTemplate.success.schema.parse(body);
}

export const errorOf = ({ status, body }: Answer) => ({ status, error_code: Object(body).error_code });

export async function readConversation({ api }: Pick<ChatAccount, 'api'>, uuid: string) {
  const answer = await api.get(`/api/user/conversations/${uuid}`);
  expect(answer.status, answer.text).toBe(200);
  return getConversation.success.schema.parse(answer.body).data;
}

/** The uuid of the account's conversation with that customer, once there is one. */
export const conversationWith = ({ api }: ChatAccount, customer: string): Promise<string> =>
  eventually(async () => {
    const { body } = await api.get('/api/user/conversations');
    const { data } = listConversations.success.schema.parse(body);
    const found = data.find(({ customer_phone }) => customer_phone === customer);
    if (!found) throw new Error(`There is no conversation with ${customer}.`);
    return found.uuid;
  });

/** What the assistant has written there, newest first. */
export async function repliesIn(chat: ChatAccount, uuid: string): Promise<string[]> {
  const { messages } = await readConversation(chat, uuid);
  return messages.flatMap(({ author, text }) => (author === 'assistant' ? [text ?? ''] : []));
}

export const balanceOf = async (api: Api) => getMe.success.schema.parse((await api.get('/api/user/me')).body);

/** So many sends at once, of which five go through in any second: exactly five unless they took longer than one. */
export async function burst(count: number, send: (n: number) => Promise<Answer>): Promise<Answer[]> {
  const startedAt = performance.now();
  const answers = await Promise.all(Array.from({ length: count }, (_, n) => send(n)));
  const seconds = Math.ceil((performance.now() - startedAt) / 1_000);
  const sent = answers.filter(({ status }) => status === 200);
  expect(sent.length).toBeGreaterThanOrEqual(5);
  expect(sent.length).toBeLessThanOrEqual(5 * seconds);
  return answers;
}

/** Sends are limited to five a second: patient ones come again. */
export const patiently = (post: () => Promise<Answer>): Promise<Answer> =>
  eventually(async () => {
    const answer = await post();
    if (answer.status === 429) throw new Error(answer.text);
    return answer;
  });

/** The greeting under one key, through any gateway, until the answer is final: limits, outages and a first try that still runs are waited out. */
export function sendGreeting(
  { gatewayUrls }: Pick<ChatStack, 'gatewayUrls'>,
  from: ChatAccount,
  to: string,
  key: string = randomUUID(),
): Promise<Answer> {
  const headers = { 'idempotency-key': key };
  const api = () => createApi(gatewayUrls[randomInt(gatewayUrls.length)] ?? '', from.account.key);
  return untilDefinite(() => api().post(sendPath, greeting(from, to), headers));
}

const notAnswered = z.object({ data: z.array(z.object({ data: z.object({ reason: z.string() }) })) });

/** Why the assistant has not answered what contacts of the account wrote, as the account's log has it. */
export async function whyNotAnswered({ api }: Pick<ChatAccount, 'api'>): Promise<readonly string[]> {
  const { body } = await api.get('/api/user/events?types=MessageNotAnswered');
  return notAnswered.parse(body).data.map(({ data }) => data.reason);
}
