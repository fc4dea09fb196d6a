import type { Micros } from '@parley/contracts';
import { v5 as uuidv5 } from 'uuid';
import type { Draft } from '../message/draft/draft.ts';
import { partyOf } from '../message/draft/draft-template.ts';
import type { ReceivedMessage } from '../message/message.ts';
import type { KnownSender } from '../views/sender-queries.ts';

/**
 * UUID namespace of the command ids of the one reply to a message, of each of its parts. Never change it: replies would
 * be sent again.
 */
const replyNamespace = '0f7a5a0e-3b5d-4a51-8a3c-6f1f0c2b9d11';

/** Id of the command that sends a part, counted from 0, of the reply to a message. */
export const replyCommandId = (messageId: number, part: number): string =>
  uuidv5(part === 0 ? `reply:${messageId}` : `reply:${messageId}:${part}`, replyNamespace);

/** A part of the assistant's reply to a message; the first one pays for all. */
export const draftReply = (
  { message_id, contact_phone }: ReceivedMessage['received'],
  sender: KnownSender,
  { body, part, priceMicros }: { readonly body: string; readonly part: number; readonly priceMicros: Micros },
): Draft => ({
  accountId: sender.accountId,
  sender: partyOf(sender),
  contactPhone: contact_phone,
  contactName: null,
  author: 'assistant',
  kind: 'freeform',
  templateId: null,
  body,
  content: { type: 'text', body },
  priceMicros: part === 0 ? priceMicros : 0,
  description: `AI reply to ${contact_phone}`,
  inReplyTo: message_id,
});
