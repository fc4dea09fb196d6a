import {
  type AppendRequest,
  type AppendResult,
  Contended,
  type EventStore,
  LostRaces,
  type RecordedEvent,
} from '@parley/event-store';
import { CheckpointLost } from '../checkpoint.ts';
import { effectIdOf, metadataAfter, type Reactor, type ReactorContext } from './reactor.ts';

export interface Reaction {
  readonly store: EventStore;
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** Appends what the reaction asks for. */
  readonly append: (request: AppendRequest) => Promise<AppendResult>;
}

/** Reacts to one event. Resolves when the effect is on record; rejects with what is thrown, or what the log refuses. */
export async function reactTo(
  event: RecordedEvent,
  { name, actsOnImported, checkpoint, react }: Reactor,
  { store, attempt, signal, append }: Reaction,
): Promise<void> {
  if (event.metadata.imported && !actsOnImported) return;
  const context: ReactorContext = {
    store,
    attempt,
    signal,
    effectId: (label) => effectIdOf(event.eventId, name, label),
    metadata: metadataAfter(event, name),
  };
  const races = new LostRaces();
  for (;;) {
    const request = await react(event, context);
    if (!request) return;
    const result = await append(request);
    // A known command id: the effect is there already, and the checkpoint follows with the next save.
    if (result.kind === 'appended' || result.kind === 'repeated') return;
    if (result.kind !== 'conflict' || !(await races.mayRetry())) throw refusal(checkpoint, result);
  }
}

/** An append that no checkpoint vouches for is known by a command id of its event. */
export const withEffectId = (request: AppendRequest, { eventId }: RecordedEvent, name: string) => {
  const command = { commandId: effectIdOf(eventId, name, 'append'), fingerprint: '', reply: '' };
  return { command, ...request };
};

function refusal(processor: string, result: Exclude<AppendResult, { kind: 'appended' | 'repeated' }>): Error {
  if (result.kind === 'checkpoint-moved')
    return new CheckpointLost(`${processor} was moved to ${result.actual}.`);
  const message = `The append of ${processor} was refused: ${JSON.stringify(result)}`;
  return result.kind === 'conflict' ? new Contended(message) : new Error(message);
}
