import { type OperatorMessage, operatorSubject, reject, serviceNames } from '@parley/contracts';
import { type BusClient, type BusReply, isUnanswered, type MessageContext } from '@parley/message-bus';
import { RejectionError } from '@parley/service-kit';

/** Our callers ask another copy after 2 s, so a service that says nothing for this long is left out. */
const silentAfterMs = 1500;

/** A service's own answer; a service that is not there, or silent, has none. */
export interface ServiceAnswer {
  readonly service: string;
  readonly reply: BusReply | null;
}

/** Asks every service the same question on the caller's behalf: each answers about its own data. */
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

/** Asks one service; `null` when it is not there, or silent for `patienceMs`. */
export async function askIfThere(
  bus: BusClient,
  service: string,
  question: OperatorMessage,
  input: object,
  context: MessageContext,
  patienceMs = silentAfterMs,
): Promise<BusReply | null> {
  const timeoutMs = Math.min(context.timeoutMs, patienceMs);
  try {
    return await askService(bus, service, question, input, { ...context, timeoutMs });
  } catch (error) {
    if (isUnanswered(error)) return null;
    throw error;
  }
}

/**
 * Asks one service. The question names its account itself: asked on the account's behalf, it would need a second of
 * the places of which the account's own request holds one.
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
  if (known) return known;
  const missing = answers.filter(
    ({ reply }) => reply?.kind !== 'rejected' || reply.rejection.code !== 'not_found',
  );
  if (missing.length > 0) throw withoutAnswerOf(missing.map(({ service }) => service));
  return undefined;
}

/** 503, for there is no answer without these services; it says which they are. */
export const withoutAnswerOf = (services: readonly string[]): RejectionError =>
  new RejectionError(
    reject('unavailable', { retryAfterSeconds: 1, details: { missing_services: services } }),
  );
