import { Inject, Injectable } from '@nestjs/common';
import type { AssistantEvent, AssistantSettings, Rejection } from '@parley/contracts';
import { Aggregates, type Decision, type SqlExecutor } from '@parley/event-store';
import type { BusClient, BusReply, MessageContext } from '@parley/message-bus';
import {
  accountOf,
  atExpectedVersion,
  BUS_CLIENT,
  CONFIG,
  causeOf,
  READ_POOL,
  type ServiceConfig,
  toReply,
} from '@parley/service-kit';
import { createOwnReferences } from '../views/organisers/own-references.ts';
import { type Assistant, assistant, assistantCategory, assistantStream } from './assistant.ts';
import { FactFinder } from './fact-finder.ts';
import type { Facts } from './facts.ts';
import { createPhoneNumbers } from './numbers/phone-numbers.ts';
import { createUrlFault } from './webhook/webhook-url.ts';

interface Settings {
  readonly before: AssistantSettings | null;
  readonly after: AssistantSettings;
}

/**
 * A command about one assistant. `settings` are the settings before and after, about which facts are looked up; null,
 * or left out, when the state alone decides.
 */
export interface AssistantCommand<Reply> {
  readonly id: number;
  readonly isNew?: true;
  /** Null when the assistant is not there. */
  readonly settings?: (state: Assistant) => Settings | null;
  readonly decide: (state: Assistant, facts: Facts) => Decision<AssistantEvent, Reply> | Rejection;
}

/** Runs a command on an assistant's stream, with the facts that its decision needs. */
@Injectable()
export class AssistantCommands {
  readonly #aggregates: Aggregates;
  readonly #facts: FactFinder;
  readonly #nothingLookedUp: Facts;

  constructor(
    aggregates: Aggregates,
    @Inject(READ_POOL) pool: SqlExecutor,
    @Inject(BUS_CLIENT) bus: BusClient,
    @Inject(CONFIG) config: ServiceConfig,
  ) {
    const urlFault = createUrlFault(config);
    this.#aggregates = aggregates;
    this.#facts = new FactFinder(createOwnReferences(pool), createPhoneNumbers(bus), urlFault);
    this.#nothingLookedUp = { isOwn: () => false, number: 'unchecked', urlFault };
  }

  async execute<Reply>(message: MessageContext, command: AssistantCommand<Reply>): Promise<BusReply> {
    const { id, isNew = false, decide } = command;
    const result = await this.#aggregates.execute({
      ...causeOf(message),
      streamId: assistantStream(id),
      category: assistantCategory,
      accountId: accountOf(message),
      fold: assistant,
      isNew,
      decide: async (state, version) => {
        const settings = command.settings?.(state) ?? null;
        const facts = settings
          ? await this.#facts.find(message, settings.before, settings.after)
          : this.#nothingLookedUp;
        return atExpectedVersion(message, () => decide(state, facts))(state, version);
      },
    });
    return toReply(result);
  }
}
