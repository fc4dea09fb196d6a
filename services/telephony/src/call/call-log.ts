import type { CallEvent, Rejection } from '@parley/contracts';
import type { Aggregates, Decision, EventMetadata, ExecuteResult } from '@parley/event-store';
import { decidedWithOrigin } from '@parley/processing';
import type { Cause } from '@parley/service-kit';
import { type Call, call, callCategory, callStream } from './call.ts';

type Decide<Reply> = (state: Call) => Decision<CallEvent, Reply> | Rejection;

/** The streams of calls; each change is one append. */
export class CallLog {
  readonly #aggregates: Aggregates;

  constructor(aggregates: Aggregates) {
    this.#aggregates = aggregates;
  }

  load(id: number) {
    return this.#aggregates.load(callStream(id), call);
  }

  /** The command's answer if it was carried out before; else undefined. */
  answerOf(command: NonNullable<Cause['command']>) {
    return this.#aggregates.answerOf(command);
  }

  /** Appends what `decide` decides; its timers carry the account and the trace. */
  change<Reply>(
    id: number,
    accountId: number,
    metadata: EventMetadata,
    decide: Decide<Reply>,
    command: Cause['command'] = null,
  ): Promise<ExecuteResult> {
    return this.#aggregates.execute({
      streamId: callStream(id),
      category: callCategory,
      accountId,
      fold: call,
      metadata,
      command,
      decide: (state) => decidedWithOrigin(decide(state), accountId, metadata),
    });
  }
}
