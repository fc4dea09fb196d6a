import { Inject, Injectable } from '@nestjs/common';
import { getAssistant } from '@parley/contracts';
import type { BusClient, MessageContext } from '@parley/message-bus';
import { BUS_CLIENT, lookUp, onBehalfOf } from '@parley/service-kit';
import { z } from 'zod';

const timeoutMs = 3_000;

/** Asks the assistants service about an account's assistants. */
@Injectable()
export class Assistants {
  readonly #bus: BusClient;

  constructor(@Inject(BUS_CLIENT) bus: BusClient) {
    this.#bus = bus;
  }

  /** Whether the asking account has this assistant. Throws when the assistants service cannot be asked. */
  async exists(assistantId: number, message: MessageContext): Promise<boolean> {
    const context = { ...onBehalfOf(message), timeoutMs };
    return (
      (await lookUp(this.#bus, { ...getAssistant, output: z.object({}) }, { id: assistantId }, context)) !==
      null
    );
  }
}
