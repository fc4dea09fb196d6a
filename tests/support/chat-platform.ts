import { randomInt } from 'node:crypto';
import { eventually } from '@parley/testing';
import { request } from 'undici';
import type { Api } from './api.ts';
import { sharedStack } from './shared-stack.ts';

/** Calls the control API of the sandbox; throws when it refuses. */
export async function control<T = unknown>(
  path: string,
  body: object,
  sandboxUrl = sharedStack().sandboxUrl,
): Promise<T> {
  const response = await request(`${sandboxUrl}/control/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.body.text();
  if (response.statusCode >= 300) throw new Error(`${path}: ${response.statusCode} ${text}`);
  return JSON.parse(text);
}

/**
 * Moves the clock of the whole platform forward. It is refused while a service is slow or starts, and is then
 * repeated; repetitions move the clock once.
 */
export const advanceClock = (seconds: number, sandboxUrl?: string) =>
  eventually(
    () => control<{ now: string; offset_seconds: number }>('clock/advance', { seconds }, sandboxUrl),
    undefined,
    100,
  );

/** A business number that nobody else uses, from a country whose businesses may ask for calls. */
export const freshBusinessNumber = (): string => freshNumber('+49151', 8);
/** A customer's number that nobody else uses. */
export const freshCustomerNumber = (): string => freshNumber('+49171', 7);

/**
 * Countries where the platform knows a customer by another number than the dialed one: prefix, number of random
 * digits, and how the one is made of the other.
 */
const renumbered = {
  Brazil: ['+5531998', 6, /^\+55319/, '+5531'],
  Mexico: ['+525512', 6, /^\+52/, '+521'],
  Argentina: ['+5411234', 5, /^\+54/, '+549'],
} as const;

/** A customer of such a country: the number that is dialed, and the one that the platform tells. */
export function renumberedCustomer(country: keyof typeof renumbered): { dialed: string; told: string } {
  const [prefix, digits, dialed, told] = renumbered[country];
  const number = freshNumber(prefix, digits);
  return { dialed: number, told: number.replace(dialed, told) };
}

/** Each worker of the run draws numbers of its own, by their last digit. */
const worker = Number(process.env.VITEST_POOL_ID ?? 0) % 10;
const drawn = new Set<string>();

/** Among thousands of random ones, two would be the same. */
function freshNumber(prefix: string, digits: number): string {
  for (;;) {
    const number = prefix + String(randomInt(10 ** (digits - 1))).padStart(digits - 1, '0') + worker;
    if (!drawn.has(number)) {
      drawn.add(number);
      return number;
    }
  }
}

export interface PlatformTemplate {
  readonly name: string;
  readonly language?: string;
  readonly category?: 'marketing' | 'utility' | 'authentication';
  readonly status?: 'approved' | 'pending' | 'rejected';
  readonly body_text?: string;
  readonly variables?: readonly string[];
  readonly kind?: 'message' | 'voice_call_request';
  /** What it has beside its body, as Graph shows it. */
  readonly components?: readonly object[];
}

export interface PlatformNumber {
  readonly display_name?: string;
  readonly quality_rating?: 'GREEN' | 'YELLOW' | 'RED';
  readonly messaging_limit?: number | null;
  readonly calling_enabled?: boolean;
  readonly online?: boolean;
}

/** A business number with its templates exists on the chat platform, nobody's sender yet. */
export async function platformNumber(
  number: PlatformNumber = {},
  templates: readonly PlatformTemplate[] = [],
  sandboxUrl?: string,
): Promise<string> {
  const phone_number = freshBusinessNumber();
  await control('chat/senders', { phone_number, display_name: 'Acme', ...number }, sandboxUrl);
  for (const template of templates) await platformTemplate(phone_number, template, sandboxUrl);
  return phone_number;
}

/** Makes or changes a template on the chat platform. */
export const platformTemplate = (
  sender_phone: string,
  template: PlatformTemplate,
  sandboxUrl?: string,
): Promise<{ id: string }> =>
  control(
    'chat/templates',
    {
      sender_phone,
      language: 'en',
      category: 'utility',
      status: 'approved',
      body_text: 'Hello',
      ...template,
    },
    sandboxUrl,
  );

interface TestTemplate {
  readonly id: number;
  readonly name: string;
  readonly status: string;
}

export interface TestSender {
  readonly id: number;
  readonly phone: string;
  /** By name, whatever their status. */
  readonly templates: Readonly<Record<string, TestTemplate>>;
}

/** A sender of the account, with the templates given: where the platform was slow, they come after the sender. */
export async function connectedSender(
  api: Api,
  number: PlatformNumber = {},
  templates: readonly PlatformTemplate[] = [],
  options: { readonly assistantId?: number; readonly sandboxUrl?: string } = {},
): Promise<TestSender> {
  const phone = await platformNumber(number, templates, options.sandboxUrl);
  const { status, text, body } = await api.post('/api/user/chatapp/senders', {
    phone_number: phone,
    display_name: number.display_name ?? 'Acme',
    ...(options.assistantId === undefined ? {} : { assistant_id: options.assistantId }),
  });
  if (status !== 201) throw new Error(`${status} ${text}`);
  const { id } = (body as { data: { id: number } }).data;
  const known = await eventually(async () => {
    const listed = await api.get(`/api/user/chatapp/senders/${id}/templates?status=all`);
    const { data } = listed.body as { data: TestTemplate[] };
    if (data.length < templates.length) throw new Error(`Only ${data.length} templates are known.`);
    return data;
  });
  return { id, phone, templates: Object.fromEntries(known.map((template) => [template.name, template])) };
}
