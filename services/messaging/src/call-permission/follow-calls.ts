import { CallEnded } from '@parley/contracts';
import type { EventStore, SqlExecutor } from '@parley/event-store';
import { byAccount, defineReactor, type EventSource, type Reactor } from '@parley/processing';
import { findSenderByPhone } from '../views/sender-by-phone.ts';
import type { Contact } from './asking.ts';
import { permissionStream } from './call-permission.ts';
import { voiceCallEnded } from './happenings.ts';
import { permissionCategory } from './permission-log.ts';

/**
 * Reactor: records the end of a call, in either direction, on the permission between its two sides, if one of them is a
 * sender of the account, or was one when the call began. A connected call resets the limits of asking (decisions, section 8).
 */
export const followCalls = (parts: {
  /** Telephony's log. */
  readonly source: EventSource;
  readonly sql: SqlExecutor;
  readonly store: EventStore;
  /** The contact with the spelling of its number that messaging knows, whichever the call was with. */
  readonly known: (contact: Contact) => Promise<Contact>;
}): Reactor =>
  defineReactor({
    name: 'voice-calls-of-senders',
    source: parts.source,
    handles: [CallEnded.type],
    laneOf: byAccount,
    async react({ accountId, data }, { metadata }) {
      if (accountId === null) return undefined;
      const call = CallEnded.data.parse(data);
      const { assistant_phone: ours, customer_phone: theirs, created_at: connectedAt } = call;
      if (ours === null) return undefined;
      for (const [phoneNumber, phone] of [
        [ours, theirs],
        [theirs, ours],
      ] as const) {
        const sender = await findSenderByPhone(parts.sql, phoneNumber, { accountId, connectedAt });
        if (!sender) continue;
        const contact = await parts.known({ senderId: sender.id, phone });
        const now = await parts.store.now();
        return {
          streamId: permissionStream(contact.senderId, contact.phone),
          category: permissionCategory,
          accountId,
          // `now` bounds the call's end, so that an ask after it counts even if telephony's clock is ahead.
          events: [voiceCallEnded(contact, call, now)],
          expectedVersion: 'any',
          metadata,
        };
      }
      return undefined;
    },
  });
