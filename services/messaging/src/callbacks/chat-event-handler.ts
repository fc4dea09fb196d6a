import type { ChatContactEvent } from '@parley/contracts';
import type { Cause } from '@parley/service-kit';
import type { KnownSender } from '../views/sender-queries.ts';

/** Injection token of the handlers, a `readonly ChatEventHandler[]`. */
export const CHAT_EVENT_HANDLERS = Symbol('ChatEventHandlers');

/** A slice that acts on what the chat platform tells. */
export interface ChatEventHandler {
  /** Part of the command ids: never changed once it was used. */
  readonly name: string;
  /**
   * Takes one event of one sender. It may come again, late, or before an earlier one: what it does is done under
   * `cause.command`, whose id follows from the event and the handler, so that it is effective once. When it throws, the
   * platform is asked to tell again.
   */
  handle(event: ChatContactEvent, sender: KnownSender, cause: ChatEventCause): Promise<void>;
}

/** By the chat platform; spread it into `Aggregates.execute`. */
export type ChatEventCause = Cause & { readonly command: NonNullable<Cause['command']> };
