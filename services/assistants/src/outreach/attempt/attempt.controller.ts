import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { findObstacle } from '@parley/contracts';
import { Aggregates, type Clock } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import { accountOf, CLOCK, jsonReply, QueryHandler } from '@parley/service-kit';
import type { z } from 'zod';
import { campaign, campaignStream } from '../../campaign/campaign.ts';
import { lead, leadStream } from '../../lead/lead.ts';
import { obstacleTo } from './obstacle.ts';

/** Answers telephony, whose calls may wait for their turn, whether they are still wanted. */
@Controller()
export class AttemptController {
  readonly #aggregates: Aggregates;
  readonly #clock: Clock;

  constructor(aggregates: Aggregates, @Inject(CLOCK) clock: Clock) {
    this.#aggregates = aggregates;
    this.#clock = clock;
  }

  @QueryHandler(findObstacle)
  async find(
    @Payload() { lead_id: id }: z.output<typeof findObstacle.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return jsonReply({ obstacle: (await this.#obstacle(id, accountOf(message))) ?? null });
  }

  async #obstacle(leadId: number, asking: number): Promise<string | undefined> {
    const { state, accountId } = await this.#aggregates.load(leadStream(leadId), lead);
    const owning = state && (await this.#aggregates.load(campaignStream(state.campaignId), campaign)).state;
    if (!owning || accountId !== asking) return 'The lead was deleted.';
    const { settings, isRunning } = owning;
    return obstacleTo({ lead: state, settings, now: await this.#clock.now() }, isRunning);
  }
}
