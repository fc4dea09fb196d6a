import { isDeepStrictEqual } from 'node:util';
import { Controller, Inject, type Type } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  locateEvent,
  operatorSubject,
  type Rejection,
  reject,
  revertEvent,
  subjectOf,
  whyNotUndone,
} from '@parley/contracts';
import { type EventStore, LostRaces, type RecordedEvent, type SqlExecutor } from '@parley/event-store';
import type { BusClient, BusReply, MessageContext } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import type { z } from 'zod';
import { accountOf } from '../requests/cause.ts';
import { SubjectHandler } from '../requests/handlers.ts';
import { jsonReply, notFoundReply, rejectedReply } from '../requests/replies.ts';
import type { ResourceChange } from '../resources/resource.ts';
import { changedFields, type RevertPlan } from '../resources/revert.ts';
import type { ServiceDefinition } from '../service-definition.ts';
import { BUS_CLIENT, EVENT_STORE, READ_POOL } from '../tokens.ts';
import { type FoundResource, findResourceOf } from './find-resource.ts';
import { type FollowedChange, followChange } from './follow-change.ts';

/** Where an event stands. */
type FoundEvent = Pick<RecordedEvent, 'type' | 'category' | 'streamId'> & Record<string, unknown>;

const deletedSince = 'The resource was deleted since.';
const nobodySays = 'Changes of this kind cannot be undone.';
const impossible = (message: string): Rejection => reject('not_revertible', { message });

/** Undoes changes by the service's own commands, so that every rule of theirs holds for the way back as well. */
export function revertsController({ name: service, resources }: ServiceDefinition): Type {
  @Controller()
  class RevertsController {
    readonly #store: EventStore;
    readonly #sql: SqlExecutor;
    readonly #bus: BusClient;

    constructor(
      @Inject(EVENT_STORE) store: EventStore,
      @Inject(READ_POOL) sql: SqlExecutor,
      @Inject(BUS_CLIENT) bus: BusClient,
    ) {
      this.#store = store;
      this.#sql = sql;
      this.#bus = bus;
    }

    @SubjectHandler(operatorSubject(service, locateEvent), locateEvent.input)
    async locate(@Payload() input: z.output<typeof locateEvent.input>): Promise<BusReply> {
      const event = await this.#find(input.event_id, input.account_id);
      if (!event) return notFoundReply();
      const found = findResourceOf(resources, event);
      return jsonReply({ resource: found ? nameOf(found) : event.streamId });
    }

    @SubjectHandler(operatorSubject(service, revertEvent), revertEvent.input)
    async revert(
      @Payload() { event_id: eventId }: z.output<typeof revertEvent.input>,
      @Ctx() { message }: BusContext,
    ): Promise<BusReply> {
      const recorded = await this.#find(eventId, accountOf(message));
      if (!recorded) return notFoundReply();
      const whyNot = whyNotUndone[recorded.type] ?? null;
      const found = findResourceOf(resources, recorded);
      if (whyNot !== null || !found) return rejectedReply(impossible(whyNot ?? nobodySays));
      const races = new LostRaces();
      for (;;) {
        const followed = await followChange(this.#store, found, eventId);
        if (!followed) return notFoundReply();
        const answer = await this.#undo(found, followed, message);
        if (answer.kind === 'ok')
          return { ...answer, body: JSON.stringify(restoredBy(found, followed.change)) };
        if (answer.rejection.code !== 'version_mismatch') return refused(answer);
        if (!(await races.mayRetry())) return rejectedReply(reject('contended'));
      }
    }

    /** `version_mismatch` when something has happened to the resource since it was followed. */
    async #undo(found: FoundResource, followed: FollowedChange, message: MessageContext): Promise<BusReply> {
      const { change, version } = followed;
      const isKnown = message.commandId !== null && (await this.#store.findCommand(message.commandId));
      const plan = await planOf(found, isKnown ? { ...followed, now: change.shown } : followed);
      if ('code' in plan) return rejectedReply(plan);
      return this.#bus.request({
        service,
        subject: subjectOf(plan.operation),
        payload: JSON.stringify(plan.input),
        context: { ...message, expectedVersion: version },
      });
    }

    async #find(eventId: string, accountId: number): Promise<FoundEvent | undefined> {
      const { rows } = await this.#sql.query<FoundEvent>({
        name: 'find-event',
        text: `select type, category, stream_id as "streamId" from es.events where event_id = $1 and account_id = $2`,
        values: [eventId, accountId],
      });
      return rows[0];
    }
  }
  return RevertsController;
}

function restoredBy(found: FoundResource, change: ResourceChange) {
  const { event, before } = change;
  const restored = Object.fromEntries(changedFields(change).map((field) => [field, before[field] ?? null]));
  return { resource: nameOf(found), event: event.type, event_id: event.eventId, restored };
}

const nameOf = ({ resource, id }: FoundResource): string => `${resource.name}/${id}`;

/** What undoes a change, unless something after it changed the same fields to something else. */
async function planOf(
  { resource, id }: FoundResource,
  { change, now, newestLater }: FollowedChange,
): Promise<RevertPlan | Rejection> {
  const { before, after } = change;
  const fields = changedFields(change);
  if (fields.length === 0) return impossible('It changed nothing that could be restored.');
  if (Object.keys(now).length === 0) return impossible(deletedSince);
  if (fields.some((field) => !isDeepStrictEqual(now[field] ?? null, after[field] ?? null))) {
    const later = await newestLater(fields);
    return impossible(`${later?.type} (${later?.eventId}) changed the same fields since.`);
  }
  const plan = resource.revert({ id, before, after, now });
  return typeof plan === 'string' ? impossible(plan) : plan;
}

/** The command's own "no" is the reason; a resource that is gone by now was there when the change was made. */
function refused(answer: Extract<BusReply, { kind: 'rejected' }>): BusReply {
  return answer.rejection.code === 'not_found' ? rejectedReply(impossible(deletedSince)) : answer;
}
