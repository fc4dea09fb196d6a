import { findSender, sipPassword, waId } from '../chat/sender.ts';
import type { Executor } from '../database/transaction.ts';
import { type Json, messageField, textField } from './twirp.ts';

/**
 * The chat platform's SIP server, which calls without a trunk go to: whether it turns one away that LiveKit was asked for.
 * It wants TLS, encrypted media, and of each sender its number, without the plus sign, with its own password.
 */
export async function chatServerRefuses(db: Executor, asked: Json): Promise<boolean> {
  const trunk = messageField(asked, 'trunk') ?? {};
  const media = messageField(asked, 'media') ?? {};
  const sender = await findSender(db, 'phone_number', textField(asked, 'sipNumber'));
  const isAsItWants =
    sender?.calling_enabled === true &&
    textField(trunk, 'transport') === 'SIP_TRANSPORT_TLS' &&
    textField(media, 'encryption') === 'SIP_MEDIA_ENCRYPT_REQUIRE' &&
    textField(trunk, 'authUsername') === waId(sender.phone_number) &&
    textField(trunk, 'authPassword') === sipPassword(sender.phone_number);
  return !isAsItWants;
}
