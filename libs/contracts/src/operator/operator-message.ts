import type { z } from 'zod';

/**
 * A command or query that every service answers, to operators (the CLI `parley`) and to other services that follow its log.
 * Subjects: `qry.<service>.<name>` and `cmd.<service>.<name>`. A file here has the messages of the controller of the same
 * name in `libs/service-kit/src/operator/`.
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
