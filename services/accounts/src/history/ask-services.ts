import { type OperatorMessage, operatorSubject, reject, serviceNames } from '@parley/contracts';
import { type BusClient, type BusReply, isUnanswered, type MessageContext } from '@parley/message-bus';
import { RejectionError } from '@parley/service-kit';

/**
 * How long to wait for one service, in milliseconds. Callers of this service ask another copy after 2 s, so a
 * silent service is left out before that.
 */
const silentAfterMs = 1500;

/** One service's reply; `null` when the service is not there or did not answer in time. */
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
 * Asks one service; rejects when it does not answer. A query goes out without an account in its context (its input
 * names the account): it would otherwise need a second of the account's places for requests, beside the one that
 * the account's own request holds.
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

/**
 * The answer of the service that knows what was asked for; undefined when all services say `not_found`. Throws
 * `unavailable` when none knows it and some gave no such answer.
 */
export function whoKnows(answers: readonly ServiceAnswer[]): ServiceAnswer | undefined {
  const known = answers.find(({ reply }) => reply?.kind === 'ok');
  if (known) return known;
  const missing = answers.filter(
    ({ reply }) => reply?.kind !== 'rejected' || reply.rejection.code !== 'not_found',
  );
  if (missing.length > 0) throw withoutAnswerOf(missing.map(({ service }) => service));
  return undefined;
}

/** The rejection `unavailable` (503) with the names of the services without which there is no answer. */
export const withoutAnswerOf = (services: readonly string[]): RejectionError =>
  new RejectionError(
    reject('unavailable', { retryAfterSeconds: 1, details: { missing_services: services } }),
  );
