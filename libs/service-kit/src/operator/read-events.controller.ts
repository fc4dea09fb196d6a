import { Controller, Inject, type Type } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { operatorSubject, readEvents } from '@parley/contracts';
import type { EventStore } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import type { z } from 'zod';
import { SubjectHandler } from '../requests/handlers.ts';
import { EVENT_STORE } from '../tokens.ts';
import { maxLookedAt, pageReply, readEventsPage } from './events-page.ts';

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
      // Positions and streams are found without searching.
      const isFoundAtOnce = input.positions !== undefined || input.stream_id !== undefined;
      const upTo = isFoundAtOnce ? head : Math.min(head, input.after + maxLookedAt);
      return pageReply(await readEventsPage(this.#store, { ...input, upTo }), head);
    }
  }
  return ReadEventsController;
}
