import type { Callback } from '../callbacks/callback.ts';
import { isHidden } from './contact.ts';
import type { Message, MessageStatus } from './message.ts';
import { epochSeconds } from './permission.ts';
import type { Sender } from './sender.ts';
import { waId } from './sender.ts';

/** A change notification of a WhatsApp Business Account, as Meta posts it. */
function notification(sender: Sender, topic: string, event: string, value: object): Callback {
  return {
    provider: 'chat',
    topic: `chat:${sender.phone_number_id}:${topic}`,
    event,
    payload: {
      object: 'whatsapp_business_account',
      entry: [
        {
          id: sender.waba_id,
          changes: [
            {
              field: 'messages',
              value: {
                messaging_product: 'whatsapp',
                metadata: {
                  display_phone_number: waId(sender.phone_number),
                  phone_number_id: sender.phone_number_id,
                },
                ...value,
              },
            },
          ],
        },
      ],
    },
  };
}

export interface Inbound {
  readonly id: string;
  readonly from: string;
  readonly name: string;
  readonly at: Date;
}

const fromContact = ({ id, from, name, at }: Inbound, content: object) => ({
  contacts: [{ profile: { name }, ...(isHidden(from) ? { user_id: from } : { wa_id: from }) }],
  messages: [
    {
      ...(isHidden(from) ? { from_user_id: from } : { from }),
      id,
      timestamp: String(epochSeconds(at)),
      ...content,
    },
  ],
});

/** What a customer writes, and what it goes back to. */
export interface Written {
  readonly text: string;
  readonly reply_to_sid?: string | undefined;
  readonly forwarded: boolean;
  readonly button_payload?: string | undefined;
  readonly referral?: object | undefined;
}

export function textReceived(sender: Sender, inbound: Inbound, written: Written): Callback {
  const { text, reply_to_sid: id, forwarded, button_payload: payload, referral } = written;
  const context = {
    ...(id === undefined ? {} : { from: waId(sender.phone_number), id }),
    ...(forwarded ? { forwarded } : {}),
  };
  const content = {
    ...(Object.keys(context).length > 0 ? { context } : {}),
    ...(payload === undefined
      ? { type: 'text', text: { body: text } }
      : { type: 'button', button: { text, payload } }),
    ...(referral ? { referral } : {}),
  };
  return notification(sender, inbound.from, `message.${content.type}`, fromContact(inbound, content));
}

export interface PermissionReply {
  readonly response: 'accept' | 'reject';
  readonly isPermanent: boolean;
  readonly expiresAt: Date | null;
  /** The request it answers; none when the customer changes the permission in the business profile. */
  readonly requestId: string | null;
}

export const permissionReplied = (sender: Sender, inbound: Inbound, reply: PermissionReply): Callback =>
  notification(
    sender,
    inbound.from,
    'message.call_permission_reply',
    fromContact(inbound, {
      type: 'interactive',
      ...(reply.requestId ? { context: { from: waId(sender.phone_number), id: reply.requestId } } : {}),
      interactive: {
        type: 'call_permission_reply',
        call_permission_reply: {
          response: reply.response,
          is_permanent: reply.isPermanent,
          ...(reply.expiresAt ? { expiration_timestamp: epochSeconds(reply.expiresAt) } : {}),
          response_source: 'user_action',
        },
      },
    }),
  );

const undeliverable = (code = 131026) => ({
  code,
  title: 'Message undeliverable',
  message: 'Message undeliverable',
  error_data: { details: 'Message Undeliverable.' },
  href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
});

/** Status notifications carry the sender's own `biz_opaque_callback_data`: how an uncertain send is recognised. */
export const statusChanged = (
  sender: Sender,
  message: Message,
  status: MessageStatus,
  at: Date,
  errorCode?: number,
): Callback =>
  notification(sender, message.wa_id, `status.${status}`, {
    statuses: [
      {
        id: message.id,
        status,
        timestamp: String(epochSeconds(at)),
        ...(isHidden(message.wa_id) ? { recipient_user_id: message.wa_id } : { recipient_id: message.wa_id }),
        ...(message.callback_data === null ? {} : { biz_opaque_callback_data: message.callback_data }),
        ...(status === 'failed'
          ? { errors: [undeliverable(errorCode)] }
          : {
              pricing: { billable: true, pricing_model: 'PMP', type: 'regular', category: message.category },
            }),
      },
    ],
  });
