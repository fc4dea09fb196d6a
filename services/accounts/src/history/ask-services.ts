import { type OperatorMessage, operatorSubject, serviceNames } from '@parley/contracts';
import { type BusClient, type BusReply, type MessageContext, ServiceUnavailable } from '@parley/message-bus';

/** A service's own answer; a service that is not there has none. */
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
    serviceNames.map(async (service) => {
      try {
        return { service, reply: await askService(bus, service, question, input, context) };
      } catch (error) {
        if (error instanceof ServiceUnavailable) return { service, reply: null };
        throw error;
      }
    }),
  );

/** Asks one service. */
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
    context,
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
