import { BaseRpcContext } from '@nestjs/microservices';
import type { MessageContext } from '../wire/message.ts';

/** What a Nest handler gets as `@Ctx()`. */
export class BusContext extends BaseRpcContext<[MessageContext, string]> {
  readonly message: MessageContext;
  readonly subject: string;

  constructor(message: MessageContext, subject: string) {
    super([message, subject]);
    this.message = message;
    this.subject = subject;
  }
}
