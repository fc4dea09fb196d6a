import { Controller, type Type } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { events, operatorSubject, readPersonEvents as reading, upcastersOf } from '@parley/contracts';
import type { BusReply } from '@parley/message-bus';
import { spellingsOf } from '@parley/phone-numbers';
import type { z } from 'zod';
import { readPersonEvents } from '../erasing/person-events.ts';
import { SubjectHandler } from '../requests/handlers.ts';
import type { ServiceDefinition } from '../service-definition.ts';
import type { ServiceParts } from '../start/service-parts.ts';
import { maxLookedAt, pageReply } from './events-page.ts';

/** `qry.<service>.read-person-events`: pages of what the log has of a person, for operators. */
export function personEventsController(
  { name: service }: Pick<ServiceDefinition, 'name'>,
  { opened: { keys }, store }: Pick<ServiceParts, 'opened' | 'store'>,
): Type {
  const parts = { pool: store.pool, keys, upcasters: upcastersOf(events, service) };

  @Controller()
  class PersonEventsController {
    @SubjectHandler(operatorSubject(service, reading), reading.input)
    async read(
      @Payload() { account_id: accountId, phone_number, after, limit }: z.output<typeof reading.input>,
    ): Promise<BusReply> {
      const head = await store.head();
      const person = { accountId, phoneNumbers: spellingsOf(phone_number) };
      const upTo = Math.min(head, after + maxLookedAt);
      return pageReply(await readPersonEvents(parts, { person, after, upTo, limit }), head);
    }
  }
  return PersonEventsController;
}
