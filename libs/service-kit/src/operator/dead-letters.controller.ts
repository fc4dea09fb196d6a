import { Controller, type Type } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  discardDeadLetter as discarding,
  listDeadLetters as listing,
  operatorSubject,
  reject,
  retryDeadLetter as retrying,
} from '@parley/contracts';
import type { BusReply } from '@parley/message-bus';
import {
  type DeadLetter,
  discardDeadLetter,
  isOutage,
  type LetterName,
  listDeadLetters,
  retryDeadLetter,
  withEventsOfOthers,
} from '@parley/processing';
import type { z } from 'zod';
import { SubjectHandler } from '../requests/handlers.ts';
import { jsonReply, notFoundReply, rejectedReply } from '../requests/replies.ts';
import type { Background } from '../service-definition.ts';
import type { ServiceParts } from '../start/service-parts.ts';
import { reasonOf } from './reason-of.ts';

/** Less than an operator waits: what waits for another service for as long as it takes is broken off. */
const longestReactionMs = 8_000;

/** What reactors gave up: looked at, tried again, and given up for good. */
export function deadLettersController(
  service: string,
  { reactors = [] }: Background,
  { closing, logger, ownership, store }: Pick<ServiceParts, 'closing' | 'logger' | 'ownership' | 'store'>,
): Type {
  const { pool: sql } = store;

  @Controller()
  class DeadLettersController {
    @SubjectHandler(operatorSubject(service, listing), listing.input)
    async list(@Payload() page: z.output<typeof listing.input>): Promise<BusReply> {
      const letters = await withEventsOfOthers(reactors, await listDeadLetters(sql, page));
      return jsonReply({ dead_letters: letters.map(shown) });
    }

    @SubjectHandler(operatorSubject(service, retrying), retrying.input)
    async retry(@Payload() { id }: z.output<typeof retrying.input>): Promise<BusReply> {
      // What a reaction does elsewhere is looked up and then made: two side by side would make it twice.
      const turn = await ownership.tryAcquire(`dead-letter:${id}`);
      if (!turn) return rejectedReply(reject('unavailable', { message: beingTried }));
      const signal = AbortSignal.any([closing, turn.lost, AbortSignal.timeout(longestReactionMs)]);
      try {
        const retried = await retryDeadLetter({ reactors, sql, store, signal }, id);
        if (!retried) return notFoundReply();
        logger.info({ ...named(id, retried.letter), outcome: retried.kind }, 'a dead letter was tried again');
        return jsonReply(
          retried.kind === 'done' ? { outcome: 'done' } : { outcome: 'failed', error: retried.error },
        );
      } catch (error) {
        if (!isOutage(error) && !signal.aborted) throw error;
        return rejectedReply(reject('unavailable', { message: notTried(error) }));
      } finally {
        await turn.release();
      }
    }

    @SubjectHandler(operatorSubject(service, discarding), discarding.input)
    async discard(@Payload() { id }: z.output<typeof discarding.input>): Promise<BusReply> {
      const letter = await discardDeadLetter(sql, id);
      if (!letter) return notFoundReply();
      logger.info(named(id, letter), 'a dead letter was discarded');
      return jsonReply({ discarded: true });
    }
  }
  return DeadLettersController;
}

const beingTried = 'It is being tried at this moment.';

/** It stands as it was. */
const notTried = (error: unknown): string => `It could not be done now: ${reasonOf(error)}`;

/** The log alone tells of it when it is gone. */
const named = (letter: number, { processor, position, eventId }: LetterName) => ({
  letter,
  processor,
  position,
  event_id: eventId,
});

const shown = ({ event, ...letter }: DeadLetter) => ({
  id: letter.id,
  processor: letter.processor,
  position: letter.position,
  event_id: letter.eventId,
  event: event && { type: event.type, stream_id: event.streamId, account_id: event.accountId },
  error: letter.error,
  attempts: letter.attempts,
  given_up_at: letter.givenUpAt,
});
