import type { Aggregates } from '@parley/event-store';
import type { BusReply, MessageContext } from '@parley/message-bus';
import { causeOf, toReply } from '@parley/service-kit';

/** What a command was answered that is known already: whatever has become of it since, it does nothing again. */
export async function knownReply(
  aggregates: Pick<Aggregates, 'answerOf'>,
  message: MessageContext,
): Promise<BusReply | undefined> {
  const { command } = causeOf(message);
  const known = command && (await aggregates.answerOf(command));
  return known ? toReply(known) : undefined;
}
