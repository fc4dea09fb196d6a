import { Inject, Injectable } from '@nestjs/common';
import { getAssistant, reject, subjectOf } from '@parley/contracts';
import type { BusClient, MessageContext } from '@parley/message-bus';
import { BUS_CLIENT, RejectionError } from '@parley/service-kit';

const timeoutMs = 3_000;

/** The assistants of accounts, which their own service keeps. */
@Injectable()
export class Assistants {
  readonly #bus: BusClient;

  constructor(@Inject(BUS_CLIENT) bus: BusClient) {
    this.#bus = bus;
  }

  /** Whether the asking account has this assistant. Throws when the assistants service cannot be asked. */
  async exists(assistantId: number, message: MessageContext): Promise<boolean> {
    const reply = await this.#bus.request({
      service: getAssistant.service,
      subject: subjectOf(getAssistant),
      payload: JSON.stringify({ id: assistantId }),
      context: { ...message, commandId: null, fingerprint: null, expectedVersion: null, timeoutMs },
    });
    if (reply.kind === 'ok') return true;
    if (reply.rejection.code === 'not_found') return false;
    throw new RejectionError(reject('unavailable'));
  }
}
