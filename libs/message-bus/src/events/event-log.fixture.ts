import { randomUUID } from 'node:crypto';
import type { RecordedEventMessage } from '@parley/contracts';
import type { EventPage } from './event-pages.ts';

type Deliver = (events: readonly RecordedEventMessage[]) => void;

/** A log in memory: dense positions, pages, and a call to subscribers for each append. */
export class EventLog {
  readonly events: RecordedEventMessage[] = [];
  readonly #subscribers = new Set<Deliver>();
  /** Off: subscribers only hear that there is something to read, as of another process's appends. */
  deliversEvents = true;
  /** Positions after which pages were asked for. */
  readonly reads: number[] = [];

  append(count: number, data: Record<string, string> = {}): RecordedEventMessage[] {
    const added = Array.from({ length: count }, (_, index) =>
      this.#event(this.events.length + index + 1, data),
    );
    this.events.push(...added);
    for (const deliver of this.#subscribers) deliver(this.deliversEvents ? added : []);
    return added;
  }

  readonly readPage = async (after: number, limit: number): Promise<readonly RecordedEventMessage[]> => {
    this.reads.push(after);
    return this.events.slice(after, after + limit);
  };

  readonly readPageAndHead = async (after: number, limit: number): Promise<EventPage> => ({
    events: await this.readPage(after, limit),
    head: this.events.length,
  });

  readonly onAppended = (deliver: Deliver): (() => void) => {
    this.#subscribers.add(deliver);
    return () => this.#subscribers.delete(deliver);
  };

  #event(position: number, data: Record<string, string>): RecordedEventMessage {
    return {
      position,
      stream_id: `folder-${position % 10}`,
      stream_version: Math.floor(position / 10) + 1,
      category: 'folder',
      account_id: 1,
      type: 'FolderCreated',
      schema_version: 1,
      event_id: randomUUID(),
      data: { name: `Folder ${position}`, ...data },
      metadata: {
        correlation_id: 'c',
        causation_id: 'd',
        command_id: null,
        actor: { kind: 'api_key', id: '1' },
      },
      recorded_at: '2026-11-21T00:00:00.000000Z',
    };
  }
}
