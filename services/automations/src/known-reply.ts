import type { Aggregates } from '@parley/event-store';
import type { BusReply, MessageContext } from '@parley/message-bus';
import { causeOf, toReply } from '@parley/service-kit';

/**
 * The answer of a command that was carried out before; undefined for a new one. A repetition gets this answer and does
 * nothing, whatever has happened since.
 */
export async function knownReply(
  aggregates: Pick<Aggregates, 'answerOf'>,
  message: MessageContext,
): Promise<BusReply | undefined> {
  const { command } = causeOf(message);
  const known = command && (await aggregates.answerOf(command));
  return known ? toReply(known) : undefined;
}
