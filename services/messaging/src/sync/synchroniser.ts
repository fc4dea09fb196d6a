import {
  Aggregates,
  createIdAllocator,
  type EventStore,
  type IdAllocator,
  LostRaces,
  type SqlExecutor,
} from '@parley/event-store';
import type { Logger } from '@parley/process-kit';
import type { ChatPlatform, ChatTemplate, ProviderFailure } from '@parley/providers';
import { observeNumber } from '../sender/observe-number.ts';
import { type Sender, sender, senderStream } from '../sender/sender.ts';
import { addTemplate, observeTemplate, removeTemplate } from '../template/observe-template.ts';
import { template, templateCategory, templateStream } from '../template/template.ts';
import { findTemplatesOf, type KnownTemplate } from '../views/template-queries.ts';
import { endReading, endReadings, goOnReading, type Reading } from './reading.ts';

export interface SynchroniserParts {
  readonly store: EventStore;
  readonly sql: SqlExecutor;
  readonly platform: ChatPlatform;
  readonly logger: Logger;
}

/**
 * Reads a sender's number or templates at the chat platform and records what changed. May run several times at once, in
 * any process: only differences become events, and only those of the reading that began last. When the platform does
 * not answer, the reading is repeated at the end of its lease.
 */
export class Synchroniser {
  readonly #store: EventStore;
  readonly #sql: SqlExecutor;
  readonly #platform: ChatPlatform;
  readonly #logger: Logger;
  readonly #aggregates: Aggregates;
  readonly #templateIds: IdAllocator;

  constructor({ store, sql, platform, logger }: SynchroniserParts) {
    this.#store = store;
    this.#sql = sql;
    this.#platform = platform;
    this.#logger = logger;
    this.#aggregates = new Aggregates(store);
    this.#templateIds = createIdAllocator(sql, 'template_ids');
  }

  async run(reading: Reading): Promise<void> {
    const { state } = await this.#loadSender(reading);
    if (!state) await endReadings(this.#store, reading);
    else if (reading.scope === 'numbers') await this.#readNumber(state, reading);
    else await this.#readTemplates(state, reading);
  }

  async #readNumber(state: NonNullable<Sender>, reading: Reading): Promise<void> {
    const observed = await this.#platform.getNumber(refOf(state));
    if (observed.kind !== 'ok') return this.#failed(observed, reading);
    const races = new LostRaces();
    for (;;) {
      const { state: newest, version } = await this.#loadSender(reading);
      const events = newest ? observeNumber(newest, observed.value) : [];
      const result = await endReading(this.#store, reading, { events, expectedVersion: version });
      if (result.kind !== 'conflict' || !(await races.mayRetry())) return;
    }
  }

  async #readTemplates(state: NonNullable<Sender>, reading: Reading): Promise<void> {
    const observed = await this.#platform.listTemplates(refOf(state));
    if (observed.kind !== 'ok') return this.#failed(observed, reading);
    // A reading that began later has newer results, which this one must not replace.
    const present = await goOnReading(this.#store, reading);
    if (!present) return;
    const known = await findTemplatesOf(this.#sql, reading.synced.senderId);
    await this.#recordTemplates(present, observed.value, known);
    await endReading(this.#store, present);
  }

  #loadSender({ synced }: Reading) {
    return this.#aggregates.load(senderStream(synced.senderId), sender);
  }

  async #recordTemplates(
    { synced: { senderId, accountId }, metadata }: Reading,
    observed: readonly ChatTemplate[],
    known: readonly KnownTemplate[],
  ): Promise<void> {
    const knownByPlatformId = new Map(known.map((each) => [each.platformId, each]));
    const stream = (id: number) => ({
      streamId: templateStream(id),
      category: templateCategory,
      accountId,
      fold: template,
      metadata,
      command: null,
    });
    const recorded = observed.map(async (found) => {
      const existing = knownByPlatformId.get(found.platformId);
      if (existing) {
        await this.#aggregates.execute({
          ...stream(existing.id),
          decide: (state) => observeTemplate(state, found),
        });
      } else {
        const id = await this.#templateIds.next();
        await this.#aggregates.execute({
          ...stream(id),
          isNew: true,
          decide: (state) => addTemplate(state, { id, senderId, observed: found }),
        });
      }
    });
    const present = new Set(observed.map(({ platformId }) => platformId));
    const removed = known
      .filter(({ platformId }) => !present.has(platformId))
      .map(({ id }) => this.#aggregates.execute({ ...stream(id), decide: removeTemplate }));
    await Promise.all([...recorded, ...removed]);
  }

  /**
   * A rejection would be the same in a minute, so it ends the reading; other failures are repeated at the end of the
   * lease.
   */
  async #failed(failure: ProviderFailure, reading: Reading): Promise<void> {
    const { scope, synced } = reading;
    this.#logger.warn(
      { scope, sender_id: synced.senderId, ...failure },
      'the chat platform could not be read',
    );
    if (failure.kind === 'rejected') await endReading(this.#store, reading);
  }
}

const refOf = ({ phoneNumberId, platformAccountId }: NonNullable<Sender>) => ({
  phoneNumberId,
  accountId: platformAccountId,
});
