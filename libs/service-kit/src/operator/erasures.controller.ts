import { Controller, type Type } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { erasePerson as erasing, forgetErased, getErasure, operatorSubject } from '@parley/contracts';
import type { BusReply, MessageContext } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import { spellingsOf } from '@parley/phone-numbers';
import type { z } from 'zod';
import { forgetKeys } from '../erasing/destroy-keys.ts';
import { erasePerson } from '../erasing/erase-person.ts';
import { Erasures, signOfLifeMs } from '../erasing/erasures.ts';
import { causeOf } from '../requests/cause.ts';
import { SubjectHandler } from '../requests/handlers.ts';
import { jsonReply } from '../requests/replies.ts';
import type { Background, ServiceDefinition } from '../service-definition.ts';
import type { ServiceParts } from '../start/service-parts.ts';
import { reasonOf } from './reason-of.ts';

/** Erasing runs in the background; whoever asked for it follows it. */
export function erasuresController(
  definition: ServiceDefinition,
  background: Background,
  { decode, logger, opened, store }: ServiceParts,
): Type {
  const erasures = new Erasures(store.pool);

  /** Erases, and notes how far it is and what it came to; never rejects. */
  async function run(
    {
      erasure_id: erasureId,
      account_id: accountId,
      phone_number: phoneNumber,
    }: z.output<typeof erasing.input>,
    message: MessageContext,
  ): Promise<void> {
    const signs = setInterval(() => void erasures.isAlive(erasureId).catch(() => undefined), signOfLifeMs);
    try {
      const erased = await erasePerson({
        pool: store.pool,
        keys: opened.keys,
        decode,
        projections: definition.projections,
        endDealings: background.endDealings,
        person: { accountId, phoneNumbers: spellingsOf(phoneNumber) },
        metadata: { ...causeOf(message).metadata, commandId: null },
        onStep: (step) => erasures.isDoing(erasureId, step),
      });
      await erasures.ended(erasureId, erased);
    } catch (error) {
      logger.error({ err: error }, 'a person could not be erased');
      await erasures
        .failed(erasureId, reasonOf(error))
        .catch((notTold: unknown) => logger.error({ err: notTold }, 'nobody was told that erasing failed'));
    } finally {
      clearInterval(signs);
    }
  }

  @Controller()
  class ErasuresController {
    @SubjectHandler(operatorSubject(definition.name, erasing), erasing.input)
    async erase(
      @Payload() input: z.output<typeof erasing.input>,
      @Ctx() { message }: BusContext,
    ): Promise<BusReply> {
      if (await erasures.started(input.erasure_id, input.account_id)) void run(input, message);
      return jsonReply({ started: true });
    }

    @SubjectHandler(operatorSubject(definition.name, getErasure), getErasure.input)
    async read(@Payload() { erasure_id }: z.output<typeof getErasure.input>): Promise<BusReply> {
      return jsonReply(await erasures.read(erasure_id));
    }

    @SubjectHandler(operatorSubject(definition.name, forgetErased), forgetErased.input)
    async forget(@Payload() { erasure_id }: z.output<typeof forgetErased.input>): Promise<BusReply> {
      await forgetKeys(store.pool, erasure_id);
      return jsonReply({ forgotten: true });
    }
  }
  return ErasuresController;
}
