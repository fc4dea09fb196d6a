import type { Micros } from '@parley/contracts';
import type { ChatNumberRef, OutgoingMessage } from '@parley/providers';
import type { Recipient } from '../recipients/recipients.ts';
import type { StartedSend } from './message.ts';

/** A message that passed every check but the balance's, and the messaging limit's in case of a race. */
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
  /** As the recipient reads it. */
  readonly body: string;
  readonly content: OutgoingMessage['content'];
  readonly priceMicros: Micros;
  /** On the account's ledger. */
  readonly description: string;
  readonly inReplyTo: number | null;
}

export const recipientOf = ({ accountId, sender, contactPhone, kind }: Draft): Recipient => ({
  accountId,
  senderId: sender.id,
  // The limit is about whom a business writes to on its own account: answers inside the window are free of it.
  limit: kind === 'template' ? sender.messagingLimit : null,
  contactPhone,
});
