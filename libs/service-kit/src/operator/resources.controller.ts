import { Controller, Inject, type Type } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { getHistory, getState, listResources, operatorSubject } from '@parley/contracts';
import { Aggregates, type EventStore } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import type { z } from 'zod';
import { SubjectHandler } from '../handlers.ts';
import { jsonReply, notFoundReply } from '../replies.ts';
import type { Resource } from '../resource.ts';
import type { ServiceDefinition } from '../service-definition.ts';
import { EVENT_STORE } from '../tokens.ts';

type HistoryInput = z.output<typeof getHistory.input>;

/** What operators ask about one resource by its name, `folder/12`. */
export function resourcesController({ name: service, resources }: ServiceDefinition): Type {
  const byName = new Map(resources.map((resource) => [resource.name, resource]));

  @Controller()
  class ResourcesController {
    readonly #store: EventStore;
    readonly #aggregates: Aggregates;

    constructor(@Inject(EVENT_STORE) store: EventStore, aggregates: Aggregates) {
      this.#store = store;
      this.#aggregates = aggregates;
    }

    @SubjectHandler(operatorSubject(service, listResources), listResources.input)
    list(): BusReply {
      return jsonReply({ resources: [...byName.keys()] });
    }

    @SubjectHandler(operatorSubject(service, getState), getState.input)
    async state(@Payload() input: z.output<typeof getState.input>): Promise<BusReply> {
      const found = find(byName, input.resource);
      if (!found) return notFoundReply();
      const at = await found.resource.stateAt(this.#aggregates, found.streamId, input.at);
      if (at.version === 0) return notFoundReply();
      return jsonReply({
        resource: input.resource,
        version: at.version,
        position: at.position,
        recorded_at: at.recordedAt,
        state: at.shown,
      });
    }

    @SubjectHandler(operatorSubject(service, getHistory), getHistory.input)
    async history(@Payload() input: HistoryInput): Promise<BusReply> {
      const found = find(byName, input.resource);
      const recorded = found ? await this.#store.readStream(found.streamId) : [];
      if (!found || recorded.length === 0) return notFoundReply();
      return jsonReply({
        resource: input.resource,
        changes: found.resource.changes(recorded).map(toMessage).filter(matching(input)),
      });
    }
  }
  return ResourcesController;
}

function find(byName: ReadonlyMap<string, Resource>, path: string) {
  const slash = path.indexOf('/');
  const resource = byName.get(path.slice(0, slash));
  const streamId = resource?.streamOf(path.slice(slash + 1));
  return resource && streamId !== undefined ? { resource, streamId } : undefined;
}

type Change = z.output<typeof getHistory.output>['changes'][number];

const toMessage = ({ event, summary, before, after }: ReturnType<Resource['changes']>[number]) => ({
  event: event.type,
  event_id: event.eventId,
  summary,
  version: event.streamVersion,
  position: event.position,
  occurred_at: event.recordedAt,
  actor: event.metadata.actor,
  request_id: event.metadata.correlationId,
  caused_by: event.metadata.causationId,
  before,
  after,
});

/** `actor` is an id (`12`), a kind (`operator`) or both (`api_key:12`). */
const matching =
  ({ since, actor }: HistoryInput) =>
  (change: Pick<Change, 'occurred_at' | 'actor'>): boolean => {
    const { kind, id } = change.actor;
    if (actor !== undefined && ![id, kind, `${kind}:${id}`].includes(actor)) return false;
    return since === undefined || new Date(change.occurred_at) >= new Date(since);
  };
