import {
  Aggregates,
  createIdAllocator,
  type EventMetadata,
  type EventStore,
  type IdAllocator,
  type SqlExecutor,
} from '@parley/event-store';
import type { Logger } from '@parley/process-kit';
import type { ChatPlatform, ChatTemplate, ProviderFailure } from '@parley/providers';
import { observeNumber } from '../sender/observe-number.ts';
import { type Sender, sender, senderStream } from '../sender/sender.ts';
import { addTemplate, observeTemplate, removeTemplate } from '../template/observe-template.ts';
import { template, templateStream } from '../template/template.ts';
import { findTemplatesOf, type KnownTemplate } from '../views/template-queries.ts';
import { type SyncedSender, type SyncScope, syncTimer } from './sync-timers.ts';

export interface SynchroniserParts {
  readonly store: EventStore;
  readonly sql: SqlExecutor;
  readonly platform: ChatPlatform;
  readonly logger: Logger;
}

/**
 * Reads at the chat platform how a sender and its templates are, and records what changed. Safe to run several times at
 * once, in any process: only differences become events. When the platform cannot be asked, the timer's lease repeats it.
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

  async run(scope: SyncScope, synced: SyncedSender, metadata: EventMetadata): Promise<void> {
    const { state } = await this.#aggregates.load(senderStream(synced.senderId), sender);
    if (!state) return;
    if (scope === 'numbers') await this.#readNumber(state, synced, metadata);
    else await this.#readTemplates(state, synced, metadata);
  }

  async #readNumber(
    state: NonNullable<Sender>,
    synced: SyncedSender,
    metadata: EventMetadata,
  ): Promise<void> {
    const observed = await this.#platform.getNumber(refOf(state));
    if (observed.kind !== 'ok') return this.#failed('numbers', observed, synced, metadata);
    await this.#aggregates.execute({
      streamId: senderStream(synced.senderId),
      category: 'sender',
      accountId: synced.accountId,
      fold: sender,
      metadata,
      command: null,
      decide: (newest) => ({
        events: newest ? observeNumber(newest, observed.value) : [],
        timers: [syncTimer('numbers', synced)],
        reply: null,
      }),
    });
  }

  async #readTemplates(
    state: NonNullable<Sender>,
    synced: SyncedSender,
    metadata: EventMetadata,
  ): Promise<void> {
    const observed = await this.#platform.listTemplates(refOf(state));
    if (observed.kind !== 'ok') return this.#failed('templates', observed, synced, metadata);
    const known = await findTemplatesOf(this.#sql, synced.senderId);
    await this.#recordTemplates(synced, metadata, observed.value, known);
    await this.#rearm('templates', synced, metadata);
  }

  async #recordTemplates(
    { senderId, accountId }: SyncedSender,
    metadata: EventMetadata,
    observed: readonly ChatTemplate[],
    known: readonly KnownTemplate[],
  ): Promise<void> {
    const knownByPlatformId = new Map(known.map((each) => [each.platformId, each]));
    const stream = (id: number) => ({
      streamId: templateStream(id),
      category: 'template',
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

  /** A definite "no" will be the same in a minute; anything else is repeated when the lease ends. */
  async #failed(
    scope: SyncScope,
    failure: ProviderFailure,
    synced: SyncedSender,
    metadata: EventMetadata,
  ): Promise<void> {
    this.#logger.warn(
      { scope, sender_id: synced.senderId, ...failure },
      'the chat platform could not be read',
    );
    if (failure.kind === 'rejected') await this.#rearm(scope, synced, metadata);
  }

  async #rearm(scope: SyncScope, synced: SyncedSender, metadata: EventMetadata): Promise<void> {
    await this.#store.append({
      streamId: senderStream(synced.senderId),
      category: 'sender',
      accountId: synced.accountId,
      events: [],
      expectedVersion: 'any',
      metadata,
      timers: [syncTimer(scope, synced)],
    });
  }
}

const refOf = ({ phoneNumberId, platformAccountId }: NonNullable<Sender>) => ({
  phoneNumberId,
  accountId: platformAccountId,
});
