import type { z } from 'zod';

/**
 * What every service answers to operators (`parley`) and to other services' subscriptions.
 * Subjects: `qry.<service>.<name>` and `cmd.<service>.<name>`.
 */
export interface OperatorMessage<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly kind: 'command' | 'query';
  readonly input: I;
  readonly output: O;
}

export const defineOperatorMessage = <I extends z.ZodType, O extends z.ZodType>(
  message: OperatorMessage<I, O>,
): OperatorMessage<I, O> => message;

export const operatorSubject = (service: string, message: OperatorMessage): string =>
  `${message.kind === 'command' ? 'cmd' : 'qry'}.${service}.${message.name}`;
