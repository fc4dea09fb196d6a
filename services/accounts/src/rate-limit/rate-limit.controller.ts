import { Controller, Inject, type OnModuleInit } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { takeRateLimit } from '@parley/contracts';
import type { SqlExecutor } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import { CommandHandler, jsonReply, READ_POOL } from '@parley/service-kit';
import type { z } from 'zod';
import { createSlidingLogs } from './sliding-logs.ts';
import { prepareSlidingLogs } from './sliding-logs-schema.ts';

@Controller()
export class RateLimitController implements OnModuleInit {
  readonly #pool: SqlExecutor;
  readonly #take: ReturnType<typeof createSlidingLogs>;

  constructor(@Inject(READ_POOL) pool: SqlExecutor) {
    this.#pool = pool;
    this.#take = createSlidingLogs(pool);
  }

  async onModuleInit(): Promise<void> {
    await prepareSlidingLogs(this.#pool);
  }

  @CommandHandler(takeRateLimit)
  async take(@Payload() input: z.output<typeof takeRateLimit.input>): Promise<BusReply> {
    const { account_id: accountId, operation, consume } = input;
    const limits = input.limits.map(({ name, max, window_ms: windowMs }) => ({ name, max, windowMs }));
    const decision = await this.#take({ accountId, operation, limits, consume });
    return jsonReply({
      allowed: decision.isAllowed,
      limit: { name: decision.limit.name, max: decision.limit.max },
      remaining: decision.remaining,
      retry_after: decision.retryAfterSeconds,
      reset_at: decision.resetAtSeconds,
    });
  }
}
