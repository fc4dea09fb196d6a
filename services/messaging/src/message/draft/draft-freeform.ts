import { type Rejection, reject } from '@parley/contracts';
import { isPhoneNumber } from '@parley/phone-numbers';
import type { KnownSender } from '../../views/sender-queries.ts';
import type { Draft } from './draft.ts';
import { partyOf } from './draft-template.ts';
import type { Prices } from './prices.ts';

export interface FreeformRequest {
  readonly accountId: number;
  readonly sender: KnownSender | undefined;
  /** E.164, or the platform's id of a customer who hides their number, as their conversation shows it. */
  readonly recipientPhone: string;
  /** Whether there is a conversation with the recipient. */
  readonly isKnown: boolean;
  readonly text: string;
  readonly isFreeformOpen: boolean;
}

/** Runs the checks of a freeform send that come before the balance, in this order: sender, online, phone, window. */
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
