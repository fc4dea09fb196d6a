import { AutomationMomentsMissed, AutomationTriggerRefused } from '@parley/contracts';
import type { EventStore } from '@parley/event-store';
import type { MessageContext } from '@parley/message-bus';
import { automationStream } from './automation.ts';

/** Event types that note why nothing ran, and change nothing of the automation. */
const notes: ReadonlySet<string> = new Set([AutomationMomentsMissed.type, AutomationTriggerRefused.type]);

/** How many events are read at a time: each may hold a definition of 256 KiB. */
const pageSize = 20;

/** Raises the version of `If-Match` when only notes were appended since that version, because they change nothing. */
export async function sinceNotes(
  store: Pick<EventStore, 'readStream'>,
  id: number,
  message: MessageContext,
): Promise<MessageContext> {
  if (message.expectedVersion === null) return message;
  for (let version = message.expectedVersion; ; version += pageSize) {
    const span = { fromVersion: version + 1, toVersion: version + pageSize };
    const since = await store.readStream(automationStream(id), span);
    if (!since.every(({ type }) => notes.has(type))) return message;
    if (since.length < pageSize) return { ...message, expectedVersion: version + since.length };
  }
}
