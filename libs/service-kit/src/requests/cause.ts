import { type Rejection, reject } from '@parley/contracts';
import type { Decision, EventMetadata, NewEvent, Rejected } from '@parley/event-store';
import type { MessageContext } from '@parley/message-bus';
import { RejectionError } from './replies.ts';

/** Who causes what a command appends; spread it into `Aggregates.execute`. */
export interface Cause {
  readonly metadata: EventMetadata;
  readonly command: { readonly commandId: string; readonly fingerprint: string | null } | null;
}

/**
 * Who and what stands behind the events of a message's command. They follow from the event that the message names, else from
 * the command, else from the request. `command` is null without a command id: then nothing makes the work effective once.
 */
export function causeOf(message: MessageContext): Cause {
  const { actor, causationId, commandId, correlationId, fingerprint, traceparent, chainDepth } = message;
  return {
    metadata: {
      actor,
      commandId,
      correlationId,
      causationId: causationId ?? commandId ?? correlationId,
      ...(traceparent === undefined ? {} : { traceparent }),
      chainDepth,
    },
    command: commandId === null ? null : { commandId, fingerprint },
  };
}

/** The account that asks. A message without one, which no gateway sends, is answered `unauthorized`. */
export function accountOf(message: MessageContext): number {
  if (message.accountId === null) throw new RejectionError(reject('unauthorized'));
  return message.accountId;
}

type Outcome<E extends NewEvent, R> = Decision<E, R> | Rejected;

/**
 * `decide`, with `If-Match` honoured: at another version than the caller expects the answer is `version_mismatch`.
 * What does not exist stays `not_found`, so that nothing is learned about it.
 */
export const atExpectedVersion =
  <State, E extends NewEvent, R>(
    { expectedVersion }: Pick<MessageContext, 'expectedVersion'>,
    decide: (state: State, version: number) => Decision<E, R> | Rejection,
  ) =>
  (state: State, version: number): Outcome<E, R> => {
    const outcome = decide(state, version);
    if (expectedVersion === null || expectedVersion === version) return outcome;
    return 'code' in outcome && outcome.code === 'not_found' ? outcome : reject('version_mismatch');
  };
