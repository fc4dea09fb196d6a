import { Controller, Inject, type Type } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { operatorSubject, readEvents } from '@parley/contracts';
import type { EventStore } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import type { z } from 'zod';
import { SubjectHandler } from '../requests/handlers.ts';
import { textReply } from '../requests/replies.ts';
import { EVENT_STORE } from '../tokens.ts';
import { readEventsPage } from './events-page.ts';

/**
 * In how many events a page is searched. In a long log with few matches a full page would take longer than the caller
 * waits. Positions and streams are found without searching.
 */
const maxLookedAt = 250_000;

/** `qry.<service>.read-events`: pages of the log, for operators and for the reactors of other services. */
export function readEventsController(service: string): Type {
  @Controller()
  class ReadEventsController {
    readonly #store: EventStore;

    constructor(@Inject(EVENT_STORE) store: EventStore) {
      this.#store = store;
    }

    @SubjectHandler(operatorSubject(service, readEvents), readEvents.input)
    async read(@Payload() input: z.output<typeof readEvents.input>): Promise<BusReply> {
      // The head first: a page read after it misses nothing up to it.
      const head = await this.#store.head();
      const isFoundAtOnce = input.positions !== undefined || input.stream_id !== undefined;
      const upTo = isFoundAtOnce ? head : Math.min(head, input.after + maxLookedAt);
      const { events, reached } = await readEventsPage(this.#store, { ...input, upTo });
      return textReply(`{"events":[${events.join(',')}],"head":${head},"reached":${reached}}`);
    }
  }
  return ReadEventsController;
}
