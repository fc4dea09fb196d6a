import { Controller, Inject, type Type } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  publishAgain as again,
  getPublication,
  invalidField,
  operatorSubject,
  reject,
} from '@parley/contracts';
import type { EventStore } from '@parley/event-store';
import {
  type BusReply,
  isUnanswered,
  type NatsConnection,
  publishAgain,
  publishedPosition,
} from '@parley/message-bus';
import type { z } from 'zod';
import { SubjectHandler } from '../requests/handlers.ts';
import { jsonReply, rejectedReply } from '../requests/replies.ts';
import { whatHelps } from '../start/start-publishing.ts';
import { EVENT_STORE, NATS_CONNECTION } from '../tokens.ts';

/** The log on its way to JetStream, again if an operator wants so. */
export function publishingController(service: string): Type {
  @Controller()
  class PublishingController {
    readonly #store: EventStore;
    readonly #connection: NatsConnection;

    constructor(@Inject(EVENT_STORE) store: EventStore, @Inject(NATS_CONNECTION) connection: NatsConnection) {
      this.#store = store;
      this.#connection = connection;
    }

    @SubjectHandler(operatorSubject(service, again), again.input)
    async again(@Payload() { from }: z.output<typeof again.input>): Promise<BusReply> {
      const head = await this.#store.head();
      if (from > head) return rejectedReply(invalidField('from', `The newest event is at ${head}.`));
      try {
        await publishAgain(this.#connection, service, from);
      } catch (error) {
        if (!isUnanswered(error)) throw error;
        return rejectedReply(reject('unavailable', { message: `${error.message} ${whatHelps}.` }));
      }
      return jsonReply({ until: head });
    }

    @SubjectHandler(operatorSubject(service, getPublication), getPublication.input)
    async publication(): Promise<BusReply> {
      const [published, head] = await Promise.all([
        publishedPosition(this.#connection, service),
        this.#store.head(),
      ]);
      return jsonReply({ ...published, head });
    }
  }
  return PublishingController;
}
