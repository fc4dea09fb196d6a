import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { EventMetadata, EventStore, SqlExecutor } from '@parley/event-store';
import type { Logger } from '@parley/process-kit';
import type { ChatPlatform } from '@parley/providers';
import { EVENT_STORE, LOGGER, READ_POOL } from '@parley/service-kit';
import { CHAT_PLATFORM } from '../platform/chat-platform.ts';
import { beginReading, type WantedReading } from './reading.ts';
import { type SyncedSender, soonMs } from './sync-timers.ts';
import { Synchroniser } from './synchroniser.ts';

/** Milliseconds: with the look-up of the number before it, the answer still comes within 10 s. */
const patienceMs = 3_000;

/** Reads the templates of a newly connected sender before the request is answered, so that they are there by then. */
@Injectable()
export class FirstReading {
  readonly #store: EventStore;
  readonly #synchroniser: Synchroniser;
  readonly #logger: Logger;

  constructor(
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(READ_POOL) sql: SqlExecutor,
    @Inject(CHAT_PLATFORM) platform: ChatPlatform,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#store = store;
    this.#synchroniser = new Synchroniser({ store, sql, platform, logger });
    this.#logger = logger;
  }

  /** Never rejects, and waits 3 s at most: what is missing then, the sender's timer reads. */
  async of(synced: SyncedSender, metadata: EventMetadata): Promise<void> {
    const reading = this.#read({ scope: 'templates', synced, metadata }).catch((error: unknown) =>
      this.#logger.warn({ err: error, sender_id: synced.senderId }, 'the templates come later'),
    );
    await Promise.race([reading, sleep(patienceMs, undefined, { ref: false })]);
  }

  async #read(wanted: WantedReading): Promise<void> {
    const reading = await beginReading(this.#store, wanted, { forMs: soonMs });
    if (reading) await this.#synchroniser.run(reading);
  }
}
