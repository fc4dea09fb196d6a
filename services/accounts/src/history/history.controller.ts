import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  findTrace,
  getHistory,
  getPastState,
  getState,
  getTrace,
  listHistory,
  locateEvent,
  type OperationInput,
  type OperationSuccess,
  publicEvents,
  revertChange,
  revertEvent,
} from '@parley/contracts';
import type { BusClient, BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  BUS_CLIENT,
  CommandHandler,
  jsonReply,
  notFoundReply,
  QueryHandler,
} from '@parley/service-kit';
import { askService, askServices, whoKnows } from './ask-services.ts';
import { renderTrace } from './trace.ts';

/** The history of an account's resources, whichever service has them. */
@Controller()
export class HistoryController {
  readonly #bus: BusClient;

  constructor(@Inject(BUS_CLIENT) bus: BusClient) {
    this.#bus = bus;
  }

  @QueryHandler(listHistory)
  async list(
    @Payload() { type, cursor, per_page: limit, ...asked }: OperationInput<typeof listHistory>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const question = {
      ...asked,
      account_id: accountOf(message),
      ...(type !== undefined && { types: type.split(',') }),
      page: { before_version: cursor === undefined ? null : Number(cursor), limit },
    };
    const reply = whoKnows(await askServices(this.#bus, getHistory, question, message))?.reply;
    if (reply?.kind !== 'ok') return notFoundReply();
    const { changes, next_before: next } = getHistory.output.parse(JSON.parse(reply.body));
    const body: OperationSuccess<typeof listHistory> = {
      data: changes.map((change) => ({
        ...change,
        before: publicEvents.fieldsOf(change.before),
        after: publicEvents.fieldsOf(change.after),
      })),
      next_cursor: next === null ? null : String(next),
    };
    return jsonReply(body);
  }

  @QueryHandler(getPastState)
  async state(
    @Payload() { resource, as_of }: OperationInput<typeof getPastState>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const question = { resource, at: {}, as_of, account_id: accountOf(message) };
    const answers = await askServices(this.#bus, getState, question, message);
    const refusal = answers.find(
      ({ reply }) => reply?.kind === 'rejected' && reply.rejection.code === 'invalid',
    );
    if (refusal?.reply) return refusal.reply;
    const reply = whoKnows(answers)?.reply;
    if (reply?.kind !== 'ok') return notFoundReply();
    const { version, position, recorded_at, state } = getState.output.parse(JSON.parse(reply.body));
    if (recorded_at === null || state === null || typeof state !== 'object' || Array.isArray(state))
      return notFoundReply();
    // Operators are shown what it was in the end.
    if (typeof state.deleted_at === 'string') return notFoundReply();
    const data = {
      resource,
      version,
      position,
      changed_at: recorded_at,
      state: publicEvents.fieldsOf(state),
    };
    return jsonReply({ data } satisfies OperationSuccess<typeof getPastState>);
  }

  @QueryHandler(getTrace)
  async trace(
    @Payload() { request_id: requestId }: OperationInput<typeof getTrace>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const question = { request_id: requestId, account_id: accountOf(message) };
    const data = renderTrace(requestId, await askServices(this.#bus, findTrace, question, message));
    return data ? jsonReply({ data }) : notFoundReply();
  }

  @CommandHandler(revertChange)
  async revert(
    @Payload() { event_id }: OperationInput<typeof revertChange>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const whose = { event_id, account_id: accountOf(message) };
    const question = { ...message, commandId: null };
    const owner = whoKnows(await askServices(this.#bus, locateEvent, whose, question));
    if (!owner) return notFoundReply();
    const reply = await askService(this.#bus, owner.service, revertEvent, { event_id }, message);
    if (reply.kind === 'rejected') return reply;
    const data = revertEvent.output.parse(JSON.parse(reply.body));
    const body: OperationSuccess<typeof revertChange> = { message: 'Change reverted successfully', data };
    return { ...reply, body: JSON.stringify(body) };
  }
}
