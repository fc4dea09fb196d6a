import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { checkTemplate, listTemplates, type OperationInput } from '@parley/contracts';
import type { SqlExecutor } from '@parley/event-store';
import { type BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  itemsReply,
  jsonReply,
  notFoundReply,
  QueryHandler,
  READ_POOL,
} from '@parley/service-kit';
import type { z } from 'zod';
import { notApproved, notSendable } from '../message/draft/template-rules.ts';
import { Directory } from '../views/directory.ts';
import { createTemplateLists } from '../views/template-queries.ts';

@Controller()
export class TemplateController {
  readonly #directory: Directory;
  readonly #list: ReturnType<typeof createTemplateLists>;

  constructor(directory: Directory, @Inject(READ_POOL) sql: SqlExecutor) {
    this.#directory = directory;
    this.#list = createTemplateLists(sql);
  }

  @QueryHandler(listTemplates)
  async list(
    @Payload() { senderId, status }: OperationInput<typeof listTemplates>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    if (!(await this.#directory.sender(accountOf(message), senderId))) return notFoundReply();
    return itemsReply(await this.#list({ senderId, status: status === 'all' ? null : status }));
  }

  @QueryHandler(checkTemplate)
  async check(
    @Payload() { sender_id, template_id }: z.output<typeof checkTemplate.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const sender = await this.#directory.sender(accountOf(message), sender_id);
    if (!sender) return jsonReply({ outcome: 'sender_not_found' });
    const template = await this.#directory.template(sender.id, template_id);
    if (!template || notSendable(template)) return jsonReply({ outcome: 'template_not_found' });
    return jsonReply({ outcome: notApproved(template) ? 'template_not_approved' : 'ok' });
  }
}
