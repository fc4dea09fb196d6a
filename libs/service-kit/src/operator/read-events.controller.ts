import { Controller, Inject, type Type } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { operatorSubject, type RecordedEventMessage, readEvents } from '@parley/contracts';
import type { EventStore } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import type { z } from 'zod';
import { toEventMessage } from '../event-message.ts';
import { SubjectHandler } from '../handlers.ts';
import { textReply } from '../replies.ts';
import { EVENT_STORE } from '../tokens.ts';

/** A NATS message holds 1 MiB; a page of large events is cut before that, and the reader asks on from its last one. */
const maxPageCharacters = 256 * 1024;
/**
 * A page is looked for in so many events: of a long log with little of what is asked for, nothing would come in the time
 * that whoever asks waits.
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
      const upTo = Math.min(head, input.after + maxLookedAt);
      const { events, reached: looked } = await this.#store.readPage({
        after: input.after,
        upTo,
        limit: input.limit,
        ...(input.types ? { types: input.types } : {}),
        ...(input.account_id === undefined ? {} : { accountId: input.account_id }),
        ...(input.stream_id === undefined ? {} : { streamId: input.stream_id }),
      });
      const page = cutPage(events.map(toEventMessage));
      const isWhole = page.length === events.length;
      const reached = Math.max(input.after, isWhole ? looked : (events[page.length - 1]?.position ?? 0));
      return textReply(`{"events":[${page.join(',')}],"head":${head},"reached":${reached}}`);
    }
  }
  return ReadEventsController;
}

function cutPage(events: readonly RecordedEventMessage[]): string[] {
  const page: string[] = [];
  let characters = 0;
  for (const event of events) {
    const text = JSON.stringify(event);
    characters += text.length;
    if (page.length > 0 && characters > maxPageCharacters) break;
    page.push(text);
  }
  return page;
}
