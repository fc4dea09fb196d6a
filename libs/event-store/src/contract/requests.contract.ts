import { randomUUID } from 'node:crypto';
import type { AppendRequest, EventStore, NewEvent, Upcaster } from '../port.ts';

/** An engine under test, with what the suite cannot reach through the port. */
export interface EngineUnderTest {
  readonly store: EventStore;
  /** Ids and kinds of the durable timers, and the milliseconds until each is due. */
  timers(): Promise<{ id: string; kind: string; dueAt: string; dueInMs: number }[]>;
  /** Moves the platform clock to this many seconds ahead of real time; may go back. */
  setClock(secondsAhead: number): Promise<void>;
  close(): Promise<void>;
}

/** The engine is opened with these, so that the suite can see them at work. */
export const contractUpcasters: readonly Upcaster[] = [
  {
    type: 'Renamed',
    fromVersion: 1,
    upcast: ({ title, ...rest }) => ({ ...rest, name: title ?? '' }),
  },
  { type: 'Renamed', fromVersion: 2, upcast: ({ name, ...rest }) => ({ ...rest, name: `${name}!` }) },
];

export const stream = (): string => `thing-${randomUUID()}`;

export const happened = (note: unknown = 'x'): NewEvent => ({ type: 'Happened', data: { note } });

export function request(overrides: Partial<AppendRequest> = {}): AppendRequest {
  return {
    streamId: stream(),
    category: 'thing',
    accountId: 7,
    events: [happened()],
    expectedVersion: 'any',
    metadata: {
      correlationId: 'correlation',
      causationId: 'causation',
      commandId: null,
      actor: { kind: 'system', id: 'test' },
    },
    ...overrides,
  };
}
