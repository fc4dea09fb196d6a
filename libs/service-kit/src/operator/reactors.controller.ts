import { Controller, type Type } from '@nestjs/common';
import { listReactors, operatorSubject } from '@parley/contracts';
import type { BusReply } from '@parley/message-bus';
import { readReactorLag } from '@parley/processing';
import { SubjectHandler } from '../requests/handlers.ts';
import { jsonReply } from '../requests/replies.ts';
import type { Background } from '../service-definition.ts';
import type { ServiceParts } from '../start/service-parts.ts';
import { lagSeconds } from './lag-seconds.ts';

/** How far the service's reactors are. */
export function reactorsController(
  service: string,
  { reactors = [] }: Background,
  { store }: Pick<ServiceParts, 'store'>,
): Type {
  @Controller()
  class ReactorsController {
    @SubjectHandler(operatorSubject(service, listReactors), listReactors.input)
    async list(): Promise<BusReply> {
      const lags = await Promise.all(reactors.map((reactor) => readReactorLag(reactor, store.pool, store)));
      const now = await store.now();
      return jsonReply({
        reactors: lags.map(({ next, ...lag }) => ({
          ...lag,
          next: next && {
            position: next.position,
            event_id: next.eventId,
            type: next.type,
            stream_id: next.streamId,
            account_id: next.accountId,
            recorded_at: next.recordedAt,
          },
          lag_seconds: lagSeconds(next, now),
        })),
      });
    }
  }
  return ReactorsController;
}
