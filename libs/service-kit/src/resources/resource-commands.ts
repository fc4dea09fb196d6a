import type { Rejection } from '@parley/contracts';
import type { Aggregates, Decision, Fold, NewEvent } from '@parley/event-store';
import type { BusReply, MessageContext } from '@parley/message-bus';
import { accountOf, atExpectedVersion, causeOf } from '../requests/cause.ts';
import { toReply } from '../requests/replies.ts';

interface ResourceStreams<State, Event extends NewEvent> {
  readonly category: string;
  readonly streamOf: (id: number) => string;
  readonly fold: Fold<State, Event>;
}

type Outcome<Event extends NewEvent, Reply> = Decision<Event, Reply> | Rejection;

/** `isNew` spares the reading of a stream whose id was just allocated. */
export type RunResourceCommand<State, Event extends NewEvent> = <Reply>(
  id: number,
  message: MessageContext,
  decide: (state: State) => Outcome<Event, Reply> | Promise<Outcome<Event, Reply>>,
  options?: { readonly isNew?: boolean },
) => Promise<BusReply>;

/** Callers' commands on one kind of resource: caused by the message, `If-Match` honoured, answered as decided. */
export const createResourceCommands =
  <State, Event extends NewEvent>(
    aggregates: Aggregates,
    { category, streamOf, fold }: ResourceStreams<State, Event>,
  ): RunResourceCommand<State, Event> =>
  async (id, message, decide, { isNew = false } = {}) =>
    toReply(
      await aggregates.execute({
        ...causeOf(message),
        streamId: streamOf(id),
        category,
        accountId: accountOf(message),
        fold,
        isNew,
        async decide(state, version) {
          const outcome = await decide(state);
          return atExpectedVersion(message, () => outcome)(state, version);
        },
      }),
    );
