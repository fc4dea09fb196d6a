import { Controller, Inject, type Type } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { findTrace, operatorSubject } from '@parley/contracts';
import type { EventStore } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import type { z } from 'zod';
import { toEventMessage } from '../event-message.ts';
import { SubjectHandler } from '../handlers.ts';
import { jsonReply } from '../replies.ts';
import type { ServiceDefinition } from '../service-definition.ts';
import { EVENT_STORE } from '../tokens.ts';

const maxEvents = 500;

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
      const events = await this.#store.readAll({
        after: 0,
        limit: maxEvents + 1,
        correlationId: input.request_id,
        ...(input.account_id === undefined ? {} : { accountId: input.account_id }),
      });
      return jsonReply({
        events: events.slice(0, maxEvents).map(toEventMessage),
        is_cut: events.length > maxEvents,
      });
    }
  }
  return TracesController;
}
