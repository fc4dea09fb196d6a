import { Controller, type Type } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { isOwned, operatorSubject } from '@parley/contracts';
import type { BusReply } from '@parley/message-bus';
import type { z } from 'zod';
import { SubjectHandler } from '../requests/handlers.ts';
import { jsonReply } from '../requests/replies.ts';
import type { ServiceParts } from '../start/service-parts.ts';

/** `qry.<service>.is-owned`: for a copy that starts, which looks whether its database is the one of those that run. */
export function ownershipController(service: string, { ownership }: Pick<ServiceParts, 'ownership'>): Type {
  @Controller()
  class OwnershipController {
    @SubjectHandler(operatorSubject(service, isOwned), isOwned.input)
    async isOwned(@Payload() { name }: z.output<typeof isOwned.input>): Promise<BusReply> {
      return jsonReply({ owned: await ownership.isOwned(name) });
    }
  }
  return OwnershipController;
}
