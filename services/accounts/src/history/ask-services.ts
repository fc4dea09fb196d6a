import { type OperatorMessage, operatorSubject, serviceNames } from '@parley/contracts';
import {
  type BusClient,
  type BusReply,
  isUnanswered,
  type MessageContext,
  ServiceUnavailable,
} from '@parley/message-bus';

/** Whoever asks here waits 2 s before asking another copy: a service that says nothing for so long is left out. */
const silentAfterMs = 1500;

/** A service's own answer; a service that is not there, or silent, has none. */
export interface ServiceAnswer {
  readonly service: string;
  readonly reply: BusReply | null;
}

/** Asks every service the same on behalf of whoever asks here: each knows best what is its own. */
export const askServices = (
  bus: BusClient,
  question: OperatorMessage,
  input: object,
  context: MessageContext,
): Promise<ServiceAnswer[]> =>
  Promise.all(
    serviceNames.map(async (service) => ({
      service,
      reply: await askIfThere(bus, service, question, input, context),
    })),
  );

/** Asks one service that others can go without. */
export async function askIfThere(
  bus: BusClient,
  service: string,
  question: OperatorMessage,
  input: object,
  context: MessageContext,
): Promise<BusReply | null> {
  const timeoutMs = Math.min(context.timeoutMs, silentAfterMs);
  try {
    return await askService(bus, service, question, input, { ...context, timeoutMs });
  } catch (error) {
    if (isUnanswered(error)) return null;
    throw error;
  }
}

/**
 * Asks one service. A question names its account itself: asked on behalf of it, it would wait for another of the places that
 * whoever asks here has already.
 */
export const askService = (
  bus: BusClient,
  service: string,
  question: OperatorMessage,
  input: object,
  context: MessageContext,
): Promise<BusReply> =>
  bus.request({
    service,
    subject: operatorSubject(service, question),
    payload: JSON.stringify(input),
    context: question.kind === 'query' ? { ...context, accountId: null } : context,
  });

/** The one that knows it. When none does, and not all were there to say so, the question has no answer yet. */
export function whoKnows(answers: readonly ServiceAnswer[]): ServiceAnswer | undefined {
  const known = answers.find(({ reply }) => reply?.kind === 'ok');
  if (
    !known &&
    !answers.every(({ reply }) => reply?.kind === 'rejected' && reply.rejection.code === 'not_found')
  )
    throw new ServiceUnavailable('A service that may know it does not answer.');
  return known;
}
