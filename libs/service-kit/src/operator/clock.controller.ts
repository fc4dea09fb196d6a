import { Controller, Inject, type Type } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { advanceClock, operatorSubject } from '@parley/contracts';
import { type Clock, setClockOffset } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import type pg from 'pg';
import type { z } from 'zod';
import { SubjectHandler } from '../requests/handlers.ts';
import { jsonReply } from '../requests/replies.ts';
import { CLOCK, WORK_POOL } from '../tokens.ts';

/** `cmd.<service>.advance-clock`; registered in sandbox stacks only. */
export function clockController(service: string): Type {
  @Controller()
  class ClockController {
    readonly #pool: pg.Pool;
    readonly #clock: Clock;

    constructor(@Inject(WORK_POOL) pool: pg.Pool, @Inject(CLOCK) clock: Clock) {
      this.#pool = pool;
      this.#clock = clock;
    }

    @SubjectHandler(operatorSubject(service, advanceClock), advanceClock.input)
    async advance(@Payload() input: z.output<typeof advanceClock.input>): Promise<BusReply> {
      await setClockOffset(this.#pool, input.offset_seconds);
      return jsonReply({ now: (await this.#clock.now()).toISOString() });
    }
  }
  return ClockController;
}
