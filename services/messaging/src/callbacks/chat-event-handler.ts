import type { ChatContactEvent } from '@parley/contracts';
import type { Cause } from '@parley/service-kit';
import type { KnownSender } from '../views/sender-queries.ts';

/** Injection token of the handlers, a `readonly ChatEventHandler[]`. */
export const CHAT_EVENT_HANDLERS = Symbol('ChatEventHandlers');

/** A slice that acts on the chat platform's events. */
export interface ChatEventHandler {
  /** Part of the command ids: never change it, or events that come again would be effective twice. */
  readonly name: string;
  /**
   * Acts on one event of one sender. Events may come again, late, or before earlier ones: what is done is done under
   * `cause.command`, whose id follows from event and handler, so that it is effective once. A status is told of every
   * sender that ever had the number, and is for the one that sent the message: for the others nothing is done, nor the
   * command recorded. When this throws, the platform is made to send the callback again.
   */
  handle(event: ChatContactEvent, sender: KnownSender, cause: ChatEventCause): Promise<void>;
}

/** Trace and command of an event of the chat platform; to be spread into `Aggregates.execute`. */
export type ChatEventCause = Cause & { readonly command: NonNullable<Cause['command']> };
