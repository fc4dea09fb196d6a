import { count } from '../count.ts';
import type { NamedProcess } from '../processes/proc.ts';

/** Who sends, as the side knows it. */
export interface BenchSender {
  readonly key: string;
  readonly senderId: number;
  readonly templateId: number;
}

/** Whatever serves the send, with the stand-in for the chat platform that it talks to. */
export interface Side {
  readonly port: number;
  readonly processes: readonly NamedProcess[];
  readonly senders: readonly BenchSender[];
  /** Messages on record as taken by the platform. */
  countSent(): Promise<number>;
  /** What was taken off balances for messages, in prices of one. */
  countPaid(): Promise<number>;
  readonly platformDatabaseUrl: string;
}

export const priceMicros = 50_000;
export const balanceMicros = 1_000_000_000;
export const template = {
  name: 'greeting',
  language: 'en',
  category: 'utility',
  body_text: 'Hello',
} as const;

/** A business number for each sender. */
export const businessNumber = (n: number): string => `+49151${String(n).padStart(8, '0')}`;

/** Sends that the platform was asked for and took. */
export const countAsked = ({ platformDatabaseUrl }: Side): Promise<number> =>
  count(
    platformDatabaseUrl,
    "select count(*) from sandbox.requests where operation = 'send_message' and answer_status = 200",
  );

/** Callbacks that are still on their way. */
export const countWaiting = ({ platformDatabaseUrl }: Side): Promise<number> =>
  count(platformDatabaseUrl, "select count(*) from sandbox.callbacks where state = 'waiting'");

export interface BusinessNumber {
  readonly phone_number_id: string;
}

/** A business number with the template exists on the platform. */
export async function addNumber(sandboxUrl: string, phone: string): Promise<BusinessNumber> {
  const sender = { phone_number: phone, display_name: 'Bench' };
  const saved = await sendJson<BusinessNumber>('POST', `${sandboxUrl}/control/chat/senders`, sender);
  const approved = { ...template, sender_phone: phone, status: 'approved' };
  await sendJson('POST', `${sandboxUrl}/control/chat/templates`, approved);
  return saved;
}

/** One request outside of what is measured. */
export async function sendJson<T>(method: string, url: string, body?: object, key?: string): Promise<T> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return JSON.parse(text);
}
