import { randomUUID } from 'node:crypto';
import { gatewayUrls } from './accounts.ts';
import type { Answer } from './api.ts';
import { notification, postCallback } from './chat-callbacks.ts';
import { control } from './chat-platform.ts';

/** Now, as the chat platform writes it: whole seconds since 1970. */
export const platformTime = (): number => Math.floor(Date.now() / 1_000);

/** The chat platform tells of a message that the sandbox cannot be made to write, as a reaction or a deletion. */
export async function tellMessage(
  { to, from }: { readonly to: string; readonly from: string },
  message: object,
): Promise<Answer> {
  const number = { phone_number: to };
  const platform = await control<{ phone_number_id: string; waba_id: string }>('chat/senders', number);
  const timestamp = String(platformTime());
  const told = { id: `wamid.${randomUUID()}`, from: from.slice(1), timestamp, ...message };
  const metadata = { phone_number_id: platform.phone_number_id };
  const body = notification(platform.waba_id, 'messages', { metadata, messages: [told] });
  return postCallback(gatewayUrls()[0] ?? '', body);
}

/** The chat platform tells that a customer wants no marketing messages any more, or wants them again. */
export async function tellPreference(
  { to, from }: { readonly to: string; readonly from: string },
  value: 'stop' | 'resume',
  timestamp: number,
): Promise<Answer> {
  const number = { phone_number: to };
  const platform = await control<{ phone_number_id: string; waba_id: string }>('chat/senders', number);
  const chosen = { wa_id: from.slice(1), detail: value, category: 'marketing_messages', value, timestamp };
  const metadata = { phone_number_id: platform.phone_number_id };
  const told = { messaging_product: 'whatsapp', metadata, user_preferences: [chosen] };
  return postCallback(gatewayUrls()[0] ?? '', notification(platform.waba_id, 'user_preferences', told));
}

/** The chat platform tells that a customer has another number, since then. */
export async function tellMove(
  parties: { readonly to: string; readonly from: string },
  movedTo: string,
  since = platformTime(),
): Promise<void> {
  const system = { body: 'Ada changed', type: 'user_changed_number', wa_id: movedTo.slice(1) };
  await tellMessage(parties, { timestamp: String(since), type: 'system', system });
}
