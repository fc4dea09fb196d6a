import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { reject, replayRun } from '@parley/contracts';
import type { EventStore } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import { EVENT_STORE, jsonReply, notFoundReply, QueryHandler, rejectedReply } from '@parley/service-kit';
import type { z } from 'zod';
import { DEFINITIONS, type Definitions } from '../engine/ports.ts';
import { RunLog } from '../engine/run-log.ts';
import { RunMemories } from '../engine/run-memory.ts';
import { PAYLOADS, type PayloadStore } from '../payloads/payload-store.ts';
import { payloadsGone } from '../run/advance/end-run.ts';
import { replay } from './replay.ts';

/** Shows operators what a run would do, without doing it. */
@Controller()
export class ReplayController {
  readonly #log: RunLog;
  readonly #memories: RunMemories;
  readonly #definitions: Definitions;

  constructor(
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(PAYLOADS) payloads: PayloadStore,
    @Inject(DEFINITIONS) definitions: Definitions,
  ) {
    this.#log = new RunLog(store);
    this.#memories = new RunMemories(payloads);
    this.#definitions = definitions;
  }

  @QueryHandler(replayRun)
  async replay(
    @Payload() { run_id: runId, definition: which }: z.output<typeof replayRun.input>,
  ): Promise<BusReply> {
    const loaded = await this.#log.load(runId);
    if (!loaded) return notFoundReply();
    // Not even where this process still remembers its payloads.
    if (loaded.run.isErased) return rejectedReply(reject('not_found', { message: payloadsGone.message }));
    const { automationId, version } = loaded.run;
    const newest = which === 'newest' ? await this.#definitions.standing(automationId) : undefined;
    const [definition, memory, inputs] = await Promise.all([
      this.#definitions.load(automationId, newest?.version ?? version),
      this.#memories.of(loaded),
      this.#memories.inputsOf(loaded),
    ]);
    if (!definition || !memory) return notFoundReply();
    return jsonReply(replay({ run: loaded.run, memory, inputs }, definition));
  }
}
