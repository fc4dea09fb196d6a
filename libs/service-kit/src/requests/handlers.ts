import { applyDecorators, UsePipes } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { type InternalMessage, inputSchemaOf, type OperationDefinition, subjectOf } from '@parley/contracts';
import type { z } from 'zod';
import { PayloadPipe } from './payload-pipe.ts';

/** What a handler may answer: an HTTP operation, or a message between services. */
export type Handled = OperationDefinition | InternalMessage;

/** Answers `cmd.<service>.<name>` with a `BusReply`; `@Payload()` is validated, `@Ctx()` is a `BusContext`. */
export const CommandHandler = (message: Handled): MethodDecorator => handlerOf('command', message);

/** Answers `qry.<service>.<name>`; as `CommandHandler`. */
export const QueryHandler = (message: Handled): MethodDecorator => handlerOf('query', message);

/** For subjects that are only known when the service starts. */
export const SubjectHandler = (subject: string, input: z.ZodType): MethodDecorator =>
  applyDecorators(MessagePattern(subject), UsePipes(new PayloadPipe(input)));

function handlerOf(kind: Handled['kind'], message: Handled): MethodDecorator {
  if (message.kind !== kind) throw new TypeError(`${message.name} is a ${message.kind}, not a ${kind}.`);
  return SubjectHandler(subjectOf(message), 'input' in message ? message.input : inputSchemaOf(message));
}
