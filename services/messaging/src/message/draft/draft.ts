import type { Micros } from '@parley/contracts';
import type { ChatNumberRef, OutgoingMessage } from '@parley/providers';
import type { Recipient } from '../../recipients/recipients.ts';
import type { StartedSend } from '../message.ts';

/** A message that has passed all checks but the balance, and the messaging limit, which others may fill meanwhile. */
export interface Draft {
  readonly accountId: number;
  readonly sender: {
    readonly id: number;
    readonly ref: ChatNumberRef;
    readonly messagingLimit: number | null;
  };
  readonly contactPhone: string;
  readonly contactName: string | null;
  readonly author: StartedSend['author'];
  readonly kind: StartedSend['kind'];
  readonly templateId: number | null;
  /** The text that the recipient reads. */
  readonly body: string;
  readonly content: OutgoingMessage['content'];
  readonly priceMicros: Micros;
  /** Description of the charge on the account's ledger. */
  readonly description: string;
  /** Id of the contact's message that this is the assistant's reply to; null for everything else. */
  readonly inReplyTo: number | null;
}

/** What the messaging limit needs to know of a message. */
export const recipientOf = ({ accountId, sender, contactPhone, kind }: Draft): Recipient => ({
  accountId,
  senderId: sender.id,
  // The limit counts recipients of templates only; text inside the 24-hour window is free of it.
  limit: kind === 'template' ? sender.messagingLimit : null,
  contactPhone,
});
