import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { recordErasure, reject } from '@parley/contracts';
import { Aggregates } from '@parley/event-store';
import { type BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import { CommandHandler, causeOf, rejectedReply, toReply } from '@parley/service-kit';
import type { z } from 'zod';
import { account, accountStream } from './account.ts';
import { erasure, erasureStream, recordErased } from './erasure.ts';

@Controller()
export class ErasureController {
  readonly #aggregates: Aggregates;

  constructor(aggregates: Aggregates) {
    this.#aggregates = aggregates;
  }

  @CommandHandler(recordErasure)
  async record(
    @Payload() input: z.output<typeof recordErasure.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const { erasure_id: erasureId, account_id: accountId, subject_ids: subjectIds } = input;
    const { version } = await this.#aggregates.load(accountStream(accountId), account);
    if (version === 0) return rejectedReply(reject('not_found'));
    return toReply(
      await this.#aggregates.execute({
        streamId: erasureStream(erasureId),
        category: 'erasure',
        accountId,
        fold: erasure,
        ...causeOf(message),
        decide: (state) => recordErased(state, { erasureId, subjectIds }),
      }),
    );
  }
}
