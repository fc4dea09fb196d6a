import {
  type AutomationTrigger,
  enableWebhook,
  getAssistant,
  type Rejection,
  reject,
  releaseAutomationWebhook,
} from '@parley/contracts';
import type { BusClient, MessageContext } from '@parley/message-bus';
import { checkUrl } from '@parley/outgoing-http';
import { lookUp, onBehalfOf } from '@parley/service-kit';
import { v5 as uuidv5 } from 'uuid';
import { askAsCaller } from '../ask-as-caller.ts';
import { hashOfToken } from '../triggers/webhook-tokens.ts';

/** Namespace of the ids of commands that follow from other commands. */
const namespace = '0f0d8b0c-6a38-5d0e-9a52-5f0a4d3c2b1e';

interface Envelope {
  readonly bind_webhook?: boolean | null | undefined;
  readonly assistant_id?: number | null | undefined;
}

interface Binding {
  readonly assistantId: number;
  readonly url: string;
  /** Whether requests to the address are still meant for the automation. */
  readonly isHeard: () => Promise<boolean>;
}

/** The assistant whose webhook is to be bound to the automation; undefined when that is not asked for. */
export const boundAssistant = (
  { bind_webhook: isBound, assistant_id: assistantId }: Envelope,
  triggerType: AutomationTrigger['type'],
): number | undefined =>
  isBound && triggerType === 'webhook.inbound' ? (assistantId ?? undefined) : undefined;

/** How the assistants' service is asked, and whether webhooks may call this machine. */
export interface Asking {
  readonly bus: BusClient;
  readonly allowLoopback: boolean;
}

/**
 * Why the webhook cannot be bound, found before anything is changed; undefined when it can, or nothing is to be bound.
 */
export async function bindingFault(
  { bus, allowLoopback }: Asking,
  message: MessageContext,
  envelope: Envelope,
  trigger: AutomationTrigger,
): Promise<Rejection | undefined> {
  const { bind_webhook: isBound, assistant_id: id } = envelope;
  // A `call.completed` trigger needs no webhook: it hears of calls from telephony's log.
  if (!isBound || trigger.type === 'call.completed') return undefined;
  if (trigger.type !== 'webhook.inbound')
    return invalid('bind_webhook', `A trigger of the type ${trigger.type} has no webhook.`);
  if (trigger.signature)
    return invalid('bind_webhook', 'The trigger wants a signature that no webhook of an assistant has.');
  if (id === undefined || id === null)
    return invalid('assistant_id', 'There must be an assistant to bind the webhook to.');
  const { baseUrl } = message;
  const address = checkUrl(baseUrl ?? '', { allowLoopback });
  if (address.kind === 'refused')
    return invalid('bind_webhook', `Under ${baseUrl} the webhook ${address.message}`);
  const found = await askAsCaller(bus, message, getAssistant, { id });
  return found.kind === 'ok' ? undefined : invalid('assistant_id', 'There is no such assistant.');
}

/**
 * Binds the assistant's webhook to the automation, so that it tells about its calls; once for the command that asks for
 * it. Releases it again when the automation was deleted meanwhile, or has another trigger. Returns why it could not be
 * bound.
 */
export async function bindWebhook(
  bus: BusClient,
  message: MessageContext,
  { assistantId, url, isHeard }: Binding,
): Promise<Rejection | undefined> {
  const commandId = uuidv5(`bind|${message.commandId ?? message.correlationId}`, namespace);
  const input = { assistant_id: assistantId, webhook_url: url };
  const bound = await askAsCaller(bus, message, enableWebhook, input, commandId);
  if (bound.kind !== 'ok') return invalid('assistant_id', bound.rejection.message ?? bound.rejection.code);
  if (!(await isHeard())) await releaseOthers(bus, message, url, undefined);
  return undefined;
}

/**
 * Releases the automation's address from all assistants but the given one, or from all without one. Rejects with
 * `ServiceUnavailable` when that cannot be done now.
 */
export async function releaseOthers(
  bus: BusClient,
  message: MessageContext,
  url: string,
  assistantId: number | undefined,
): Promise<object | undefined> {
  const input = { token_hash: hashOfToken(url.slice(url.lastIndexOf('/') + 1)), but_for: assistantId };
  return (await lookUp(bus, releaseAutomationWebhook, input, onBehalfOf(message))) ?? undefined;
}

const invalid = (field: string, message: string): Rejection =>
  reject('invalid_definition', { fields: { [field]: [message] } });
