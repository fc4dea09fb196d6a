import { Controller, Inject, type Type } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  getHistory,
  getState,
  invalidField,
  listResources,
  operatorSubject,
  type Rejection,
} from '@parley/contracts';
import { Aggregates, type EventStore, type Moment } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import type { z } from 'zod';
import { SubjectHandler } from '../requests/handlers.ts';
import { jsonReply, notFoundReply, rejectedReply } from '../requests/replies.ts';
import { Past } from '../resources/past.ts';
import type { ServiceDefinition } from '../service-definition.ts';
import { EVENT_STORE } from '../tokens.ts';
import { findResource } from './find-resource.ts';
import { FoldSnapshots } from './fold-snapshots.ts';
import { readHistory } from './history-page.ts';

const notYet = invalidField('at', 'That moment has not come yet.');

/** What is asked about one resource by its name, `folder/12`. */
export function resourcesController({ name: service, resources }: ServiceDefinition): Type {
  @Controller()
  class ResourcesController {
    readonly #store: EventStore;
    readonly #aggregates: Aggregates;
    readonly #past: Past;
    readonly #snapshots: FoldSnapshots;

    constructor(@Inject(EVENT_STORE) store: EventStore, aggregates: Aggregates, past: Past) {
      this.#store = store;
      this.#past = past;
      this.#aggregates = aggregates;
      this.#snapshots = new FoldSnapshots(store, aggregates);
    }

    @SubjectHandler(operatorSubject(service, listResources), listResources.input)
    list(): BusReply {
      return jsonReply({ resources: resources.map(({ name }) => name) });
    }

    @SubjectHandler(operatorSubject(service, getState), getState.input)
    async state(@Payload() input: z.output<typeof getState.input>): Promise<BusReply> {
      const { account_id: accountId, as_of: asOf } = input;
      const found = findResource(resources, input.resource, accountId);
      if (!found) return notFoundReply();
      const moment: Moment | Rejection = asOf === undefined ? input.at : await this.#past.momentOf(asOf);
      if ('code' in moment) return rejectedReply(moment);
      if (asOf === undefined && !(await this.#past.hasCome(moment))) return rejectedReply(notYet);
      const at = await found.resource.stateAt(this.#aggregates, found.streamId, moment);
      if (at.version === 0) return notFoundReply();
      if (accountId !== undefined && at.accountId !== accountId) return notFoundReply();
      if (at.version < (moment.version ?? 0)) return rejectedReply(notYet);
      return jsonReply({
        resource: input.resource,
        version: at.version,
        position: at.position,
        recorded_at: at.recordedAt,
        state: at.shown,
      });
    }

    @SubjectHandler(operatorSubject(service, getHistory), getHistory.input)
    async history(@Payload() input: z.output<typeof getHistory.input>): Promise<BusReply> {
      const { resource, account_id: accountId } = input;
      const found = findResource(resources, resource, accountId);
      const current = found && (await found.resource.current(this.#aggregates, found.streamId));
      if (!found || !current?.version) return notFoundReply();
      if (accountId !== undefined && current.accountId !== accountId) return notFoundReply();
      const page = await readHistory(
        this.#store,
        this.#snapshots,
        { ...found, version: current.version },
        input,
      );
      return jsonReply({ resource, ...page });
    }
  }
  return ResourcesController;
}
