import { type Rejection, reject } from '@parley/contracts';
import { isPhoneNumber } from '@parley/phone-numbers';
import type { KnownSender } from '../views/sender-queries.ts';
import type { Draft } from './draft.ts';
import { partyOf } from './draft-template.ts';
import type { Prices } from './prices.ts';

export interface FreeformRequest {
  readonly accountId: number;
  readonly sender: KnownSender | undefined;
  /** E.164; or as the conversation with a customer who hides it shows them. */
  readonly recipientPhone: string;
  /** There is a conversation. */
  readonly isKnown: boolean;
  readonly text: string;
  readonly isFreeformOpen: boolean;
}

/** The checks of a freeform send that come before the balance: sender, online, phone, window. */
export function draftFreeform(request: FreeformRequest, prices: Prices): Draft | Rejection {
  const { accountId, sender, recipientPhone, isKnown, text, isFreeformOpen } = request;
  if (!sender) return reject('sender_not_found');
  if (sender.status !== 'online') return reject('sender_offline');
  if (!isKnown && !isPhoneNumber(recipientPhone)) return reject('invalid_phone');
  if (!isFreeformOpen) return reject('session_expired');
  return {
    accountId,
    sender: partyOf(sender),
    contactPhone: recipientPhone,
    contactName: null,
    author: 'person',
    kind: 'freeform',
    templateId: null,
    body: text,
    content: { type: 'text', body: text },
    priceMicros: prices.PRICE_FREEFORM,
    description: `Message to ${recipientPhone}`,
    inReplyTo: null,
  };
}
