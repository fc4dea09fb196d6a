import { Controller, Inject, type Type } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { findTrace, operatorSubject } from '@parley/contracts';
import { type EventStore, payloadLength, type RecordedEvent } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import type { z } from 'zod';
import { SubjectHandler } from '../requests/handlers.ts';
import { jsonReply } from '../requests/replies.ts';
import type { ServiceDefinition } from '../service-definition.ts';
import { toEventMessage } from '../start/event-message.ts';
import { EVENT_STORE } from '../tokens.ts';

/** What a request led to may be millions of events, or large ones: so many are shown, and about so much of payloads. */
const maxEvents = 500;
const maxCharacters = 4 * 1024 * 1024;
const atOnce = 100;

/** `qry.<service>.find-trace`: a service's part of what a request led to. */
export function tracesController({ name: service }: ServiceDefinition): Type {
  @Controller()
  class TracesController {
    readonly #store: EventStore;

    constructor(@Inject(EVENT_STORE) store: EventStore) {
      this.#store = store;
    }

    @SubjectHandler(operatorSubject(service, findTrace), findTrace.input)
    async find(@Payload() input: z.output<typeof findTrace.input>): Promise<BusReply> {
      const wanted = {
        correlationId: input.request_id,
        ...(input.account_id === undefined ? {} : { accountId: input.account_id }),
      };
      const events: RecordedEvent[] = [];
      const reply = (isCut: boolean) => jsonReply({ events: events.map(toEventMessage), is_cut: isCut });
      for (let characters = 0; ; ) {
        const after = events.at(-1)?.position ?? 0;
        const read = await this.#store.readAll({ ...wanted, after, limit: atOnce });
        for (const event of read) {
          if (events.length === maxEvents || characters >= maxCharacters) return reply(true);
          characters += payloadLength(event);
          events.push(event);
        }
        if (read.length < atOnce) return reply(false);
      }
    }
  }
  return TracesController;
}
