import type { ProviderAnswer, ProviderRequest } from '../provider/provider.ts';
import type { World } from '../world.ts';
import { refusalOfTemplate } from './check-template.ts';
import { contactWaId, isHidden } from './contact.ts';
import { graphError, invalidParameter, unknownObject } from './graph-error.ts';
import { acceptMessage, type Message, newMessageId } from './message.ts';
import { readReceipt, type SendRequest, sendRequest } from './send-request.ts';
import { findSender, type Sender } from './sender.ts';
import { findTemplate, type Template } from './template.ts';
import { statusChanged } from './webhook.ts';

/** POST /{phone-number-id}/messages: sends, or marks as read. */
export async function postMessage(world: World, request: ProviderRequest): Promise<ProviderAnswer> {
  const id = request.params.id ?? '';
  const sender = await findSender(world.pool, 'phone_number_id', id);
  if (!sender) return unknownObject('POST', id);
  if (readReceipt.safeParse(request.body).success) return { status: 200, body: { success: true } };
  const parsed = sendRequest.safeParse(request.body);
  if (!parsed.success) return invalidParameter(firstFault(parsed.error.issues));
  const to = parsed.data.to ?? parsed.data.recipient;
  return to === undefined ? invalidParameter('to: Required') : send(world, sender, parsed.data, to);
}

async function send(world: World, sender: Sender, message: SendRequest, to: string): Promise<ProviderAnswer> {
  const template =
    message.type === 'template'
      ? await findTemplate(world.pool, sender.waba_id, message.template.name, message.template.language.code)
      : null;
  const asksPermission = message.type === 'interactive' || template?.kind === 'voice_call_request';
  const refusal = refusalOf(sender, message, template, asksPermission);
  if (refusal) return refusal;
  const accepted: Message = {
    id: newMessageId(),
    phone_number_id: sender.phone_number_id,
    wa_id: contactWaId(to),
    direction: 'outbound',
    is_permission_request: asksPermission,
    status: 'sent',
    callback_data: message.biz_opaque_callback_data ?? null,
    category: template?.category ?? 'service',
    created_at: world.clock.now(),
  };
  await acceptMessage(world.pool, accepted, statusChanged(sender, accepted, 'sent', accepted.created_at));
  world.wakeCourier();
  return {
    status: 200,
    body: {
      messaging_product: 'whatsapp',
      contacts: [{ input: to, ...(isHidden(to) ? { user_id: to } : { wa_id: accepted.wa_id }) }],
      messages: [{ id: accepted.id, ...(template ? { message_status: 'accepted' } : {}) }],
    },
  };
}

function refusalOf(
  sender: Sender,
  message: SendRequest,
  template: Template | null,
  asksPermission: boolean,
): ProviderAnswer | null {
  if (!sender.online)
    return graphError({
      status: 400,
      code: 133010,
      message: 'Account not registered',
      details: 'The phone number is not registered.',
    });
  const refusal = message.type === 'template' ? refusalOfTemplate(template, message.template) : null;
  if (refusal) return refusal;
  if (asksPermission && !sender.calling_enabled)
    return graphError({
      status: 400,
      code: 138000,
      message: 'Calling not enabled',
      details: 'Calling is not enabled on this phone number.',
    });
  return null;
}

/** Which operation a POST to `messages` is, for faults and the log. */
export async function messageOperation(world: World, request: ProviderRequest) {
  if (readReceipt.safeParse(request.body).success) return 'mark_read';
  const parsed = sendRequest.safeParse(request.body);
  if (!parsed.success) return 'send_message';
  const message = parsed.data;
  if (message.type === 'interactive') return 'send_permission_request';
  if (message.type === 'text') return 'send_message';
  const sender = await findSender(world.pool, 'phone_number_id', request.params.id ?? '');
  const { name, language } = message.template;
  const template = sender && (await findTemplate(world.pool, sender.waba_id, name, language.code));
  return template?.kind === 'voice_call_request' ? 'send_permission_request' : 'send_message';
}

/** The `biz_opaque_callback_data` of a request to send; null for none. */
export function callbackData({ body }: ProviderRequest): string | null {
  const data =
    typeof body === 'object' && body !== null && 'biz_opaque_callback_data' in body
      ? body.biz_opaque_callback_data
      : null;
  return typeof data === 'string' ? data : null;
}

const firstFault = (issues: readonly { path: readonly PropertyKey[]; message: string }[]): string =>
  issues[0] ? `${issues[0].path.map(String).join('.') || 'body'}: ${issues[0].message}` : 'body';
