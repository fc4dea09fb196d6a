import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { contactWaId } from '../chat/contact.ts';
import {
  lastPermissionRequest,
  messageStatuses,
  newMessageId,
  saveMessage,
  setMessageStatus,
} from '../chat/message.ts';
import { savePermission, temporaryGrantSeconds } from '../chat/permission.ts';
import { findSender, type Sender, saveSender } from '../chat/sender.ts';
import { saveTemplate } from '../chat/template.ts';
import { permissionReplied, statusChanged, textReceived } from '../chat/webhook.ts';
import type { World } from '../world.ts';
import { controlRoute, done, refused } from './control-route.ts';
import { customer, phoneNumber, words } from './fields.ts';

const sender = z.object({
  phone_number: phoneNumber(),
  display_name: words(255).optional(),
  quality_rating: z.enum(['GREEN', 'YELLOW', 'RED']).optional(),
  messaging_limit: z.int().nonnegative().nullish(),
  calling_enabled: z.boolean().optional(),
  online: z.boolean().optional(),
});

const template = z.object({
  sender_phone: phoneNumber(),
  name: words(512),
  language: words(16),
  category: z.enum(['marketing', 'utility', 'authentication']),
  status: z.enum(['approved', 'pending', 'rejected']),
  body_text: words(1024),
  variables: z.array(words(255)).default([]),
  kind: z.enum(['message', 'voice_call_request']).default('message'),
  /** Header, buttons and whatever else it has beside its body, as Graph shows them. */
  components: z
    .array(
      z.looseObject({
        type: words(64),
        format: words(64).optional(),
        text: words(1024).optional(),
        buttons: z.array(z.looseObject({ type: words(64), url: words(2000).optional() })).optional(),
      }),
    )
    .default([]),
});

const inbound = z.object({
  to: phoneNumber(),
  from: customer(),
  text: words(4096),
  name: words(255).optional(),
  /** Of the message that it quotes, or whose button it is. */
  reply_to_sid: words(512).optional(),
  forwarded: z.boolean().default(false),
  /** Of the button of a template that the customer taps; `text` stands on it. */
  button_payload: words(256).optional(),
  /** The ad or post that the customer has tapped, as Meta tells of it. */
  referral: z
    .looseObject({ source_type: z.enum(['ad', 'post']), source_id: words(64), source_url: words(2000) })
    .optional(),
});

const permissionReply = z.object({
  to: phoneNumber(),
  from: phoneNumber(),
  response: z.enum(['accept', 'reject', 'revoke']),
  permanent: z.boolean().default(false),
});

const messageStatus = z.object({
  message_sid: words(512),
  status: z.enum(messageStatuses),
  /** The error of a failed message; by default, that it cannot be delivered. */
  error_code: z.int().optional(),
});

const unknownSender = (number: string) => refused(404, `The chat platform has no sender ${number}.`);

/** What a person or a test can make happen on the chat platform. */
export function registerChatControls(app: FastifyInstance, world: World): void {
  controlRoute(app, '/control/chat/senders', sender, async (input) => {
    const known = await findSender(world.pool, 'phone_number', input.phone_number);
    const displayName = input.display_name ?? known?.display_name;
    if (displayName === undefined)
      return { status: 422, body: missing('display_name', 'The display name field is required.') };
    const saved = await saveSender(
      world.pool,
      {
        phone_number: input.phone_number,
        display_name: displayName,
        quality_rating: input.quality_rating ?? known?.quality_rating ?? 'GREEN',
        messaging_limit:
          input.messaging_limit === undefined ? (known?.messaging_limit ?? null) : input.messaging_limit,
        calling_enabled: input.calling_enabled ?? known?.calling_enabled ?? false,
        online: input.online ?? known?.online ?? true,
      },
      world.clock.now(),
    );
    return done(saved);
  });

  controlRoute(app, '/control/chat/templates', template, async ({ sender_phone, ...input }) => {
    const owner = await findSender(world.pool, 'phone_number', sender_phone);
    if (!owner) return unknownSender(sender_phone);
    return done(await saveTemplate(world.pool, { ...input, waba_id: owner.waba_id }));
  });

  controlRoute(app, '/control/chat/inbound', inbound, async (input) => {
    const receiver = await findSender(world.pool, 'phone_number', input.to);
    if (!receiver) return unknownSender(input.to);
    const message = arrival(receiver, input.from, input.name, world.clock.now());
    await world.change(async (db, tell) => {
      await saveMessage(db, message.stored);
      await tell(textReceived(receiver, message.event, input));
    });
    return done({ message_sid: message.stored.id });
  });

  controlRoute(app, '/control/chat/permission-reply', permissionReply, async (input) => {
    const receiver = await findSender(world.pool, 'phone_number', input.to);
    if (!receiver) return unknownSender(input.to);
    const now = world.clock.now();
    const message = arrival(receiver, input.from, undefined, now);
    const isAccepted = input.response === 'accept';
    const isPermanent = isAccepted && input.permanent;
    const expiresAt =
      isAccepted && !isPermanent ? new Date(now.getTime() + temporaryGrantSeconds * 1000) : null;
    const status = isPermanent ? 'permanent' : isAccepted ? 'temporary' : 'no_permission';
    await world.change(async (db, tell) => {
      const contact = contactWaId(input.from);
      const requestId =
        input.response === 'revoke'
          ? null
          : await lastPermissionRequest(db, receiver.phone_number_id, contact);
      await savePermission(db, receiver.phone_number_id, contact, { status, expires_at: expiresAt });
      await saveMessage(db, message.stored);
      const response = isAccepted ? 'accept' : 'reject';
      await tell(permissionReplied(receiver, message.event, { response, isPermanent, expiresAt, requestId }));
    });
    return done({ message_sid: message.stored.id, status, expires_at: expiresAt?.toISOString() ?? null });
  });

  controlRoute(app, '/control/chat/message-status', messageStatus, async (input) => {
    const changed = await world.change(async (db, tell) => {
      const message = await setMessageStatus(db, input.message_sid, input.status);
      const from = message && (await findSender(db, 'phone_number_id', message.phone_number_id));
      if (!message || !from) return false;
      await tell(statusChanged(from, message, input.status, world.clock.now(), input.error_code));
      return true;
    });
    return changed ? done(input) : refused(404, `The chat platform sent no message ${input.message_sid}.`);
  });
}

const missing = (field: string, message: string) => ({
  message: 'The given data was invalid.',
  errors: { [field]: [message] },
});

/** A message of a customer, as stored and as told. */
function arrival(receiver: Sender, from: string, name: string | undefined, at: Date) {
  const id = newMessageId();
  const contact = contactWaId(from);
  return {
    event: { id, from: contact, name: name ?? from, at },
    stored: {
      id,
      phone_number_id: receiver.phone_number_id,
      wa_id: contact,
      direction: 'inbound',
      is_permission_request: false,
      status: 'received',
      callback_data: null,
      category: 'service',
      created_at: at,
    } as const,
  };
}
