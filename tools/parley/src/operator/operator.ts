import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import {
  getState,
  type InternalMessage,
  type OperatorMessage,
  operatorSubject,
  rejections,
  subjectOf,
} from '@parley/contracts';
import { type BusRejection, connectToBus, createBusClient, isUnanswered } from '@parley/message-bus';
import type { z } from 'zod';
import { CommandFailed, exitCodes } from '../exit-codes.ts';
import type { Settings } from '../settings.ts';
import { readStack } from '../stack-file.ts';

/** An expected "no" is a value. */
export type Answer<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'rejected'; readonly rejection: BusRejection };

/**
 * Asks the services of a running stack as its operator. Throws `CommandFailed` (3) when one does not answer for ten
 * seconds, or for `waitMs`.
 */
export interface Operator {
  ask<I extends z.ZodType, O extends z.ZodType>(
    service: string,
    message: OperatorMessage<I, O>,
    input: z.input<I>,
    waitMs?: number,
  ): Promise<Answer<z.output<O>>>;
  /**
   * Sends a command between services. It takes effect once for ever by its `commandId`; the same id with another
   * `fingerprint` is rejected.
   */
  tell<I extends z.ZodType, O extends z.ZodType>(
    message: InternalMessage<I, O>,
    input: z.input<I>,
    commandId: string,
    fingerprint?: string,
  ): Promise<Answer<z.output<O>>>;
  /** Waits for nothing that was asked and not answered: whoever wanted an answer has awaited it. */
  close(): Promise<void>;
}

interface Asking {
  readonly commandId: string | null;
  readonly fingerprint?: string | null | undefined;
  readonly waitMs?: number | undefined;
}

const timeoutMs = 10_000;

/**
 * Where the stack's NATS is. Throws `CommandFailed` where none runs, and where two are named: a person would be erased, or money
 * booked, in the other one.
 */
export async function findServers({
  NATS_URL: given,
  PARLEY_HOME: home,
}: Pick<Settings, 'NATS_URL' | 'PARLEY_HOME'>): Promise<string> {
  const stack = await readStack(home).catch((error: unknown) => {
    // Another user's home, say: what runs there is not what was asked for.
    if (given) return undefined;
    throw error;
  });
  const running = stack?.nats_url;
  if (given && running && withoutCredentials(given) !== withoutCredentials(running))
    throw new CommandFailed(
      `NATS_URL leads to ${withoutCredentials(given)}, and the stack in ${home} has its NATS at ${withoutCredentials(running)}. Unset NATS_URL to ask the latter, or set PARLEY_HOME to another folder.`,
      exitCodes.usage,
    );
  const servers = given ?? running;
  if (servers) return servers;
  throw new CommandFailed(
    `No stack runs in ${home}. Start one with "npm start", or set PARLEY_HOME or NATS_URL to where one runs.`,
    exitCodes.unreachable,
  );
}

export async function connectOperator(settings: Settings): Promise<Operator> {
  const servers = await findServers(settings);
  const connection = await connectToBus({ servers, name: 'parley' }).catch((cause) => {
    throw new CommandFailed(
      `NATS at ${withoutCredentials(servers)} cannot be reached: ${reasonOf(cause)}.`,
      exitCodes.unreachable,
      { cause },
    );
  });
  const bus = createBusClient(connection);
  const actor = { kind: 'operator', id: userName() } as const;

  async function request<O extends z.ZodType>(
    service: string,
    subject: string,
    output: O,
    input: unknown,
    { commandId, fingerprint = null, waitMs = timeoutMs }: Asking,
  ): Promise<Answer<z.output<O>>> {
    const context = {
      accountId: null,
      actor,
      commandId,
      fingerprint,
      correlationId: randomUUID(),
      expectedVersion: null,
      baseUrl: null,
      timeoutMs,
    };
    try {
      const payload = JSON.stringify(input);
      const reply = await bus.request({ service, subject, payload, context, waitMs });
      if (reply.kind === 'rejected') return reply;
      const answer = output.safeParse(JSON.parse(reply.body));
      if (answer.success) return { kind: 'ok', value: answer.data };
      if (!reply.replayed) throw answer.error;
      throw new CommandFailed('That was done before; what was answered then is erased by now.');
    } catch (cause) {
      if (!isUnanswered(cause)) throw cause;
      throw new CommandFailed(`${service} does not answer.`, exitCodes.unreachable, { cause });
    }
  }

  return {
    ask(service, message, input, waitMs) {
      const commandId = message.kind === 'command' ? randomUUID() : null;
      return request(service, operatorSubject(service, message), message.output, input, {
        commandId,
        waitMs,
      });
    },
    tell(message, input, commandId, fingerprint) {
      return request(message.service, subjectOf(message), message.output, input, { commandId, fingerprint });
    },
    close: () => connection.close(),
  };
}

const reasonOf = (cause: unknown): string =>
  withoutCredentials(cause instanceof Error ? cause.message : String(cause));

/** The user's name or, where only a number is known (as in containers), `uid <number>`. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

const withoutCredentials = (urls: string): string => urls.replaceAll(/\/\/[^@/,]*@/g, '//');

/**
 * The value of the answer. A rejection ends the command with `CommandFailed`: with 1, or with 3 when the service
 * failed rather than refused.
 */
export function expectOk<T>(answer: Answer<T>, what: string): T {
  if (answer.kind === 'ok') return answer.value;
  const { rejection } = answer;
  const exitCode = isFailure(rejection) ? exitCodes.unreachable : exitCodes.negative;
  throw new CommandFailed(`${what}: ${describeRejection(rejection)}`, exitCode);
}

/** Ends the command where the account is not there, or nobody can tell. */
export async function expectAccount(operator: Operator, accountId: number | undefined): Promise<void> {
  const question = { resource: `account/${accountId}`, at: {} };
  expectOk(await operator.ask('accounts', getState, question), `account ${accountId}`);
}

/**
 * Whether the service failed rather than refused. `contended` counts as a refusal, such as a rebuild that is
 * running already.
 */
const isFailure = ({ code }: BusRejection): boolean =>
  code !== 'contended' && (knownOf(code)?.status ?? 500) >= 500;

const knownOf = (code: string) => Object.entries(rejections).find(([name]) => name === code)?.[1];

export function describeRejection({ code, message, fields, details }: BusRejection): string {
  if (details?.reason === 'no_handler')
    return 'The copy that was asked is of a release that does not know this yet. Ask again when all copies are replaced.';
  const faults = Object.entries(fields ?? {}).map(([field, texts]) => `${field}: ${texts.join(' ')}`);
  return [message ?? knownOf(code)?.message ?? code, ...faults].join(' ');
}
