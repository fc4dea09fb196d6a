import { AutomationMomentsMissed, AutomationTriggerRefused } from '@parley/contracts';
import type { EventStore } from '@parley/event-store';
import type { MessageContext } from '@parley/message-bus';
import { automationStream } from './automation.ts';

/** What stands in an automation's stream and changes nothing of it: why nothing ran. */
const notes: ReadonlySet<string> = new Set([AutomationMomentsMissed.type, AutomationTriggerRefused.type]);

/** The message, as if its `If-Match` were of after the notes that came since: the automation is as it was before them. */
export async function sinceNotes(
  store: Pick<EventStore, 'readStream'>,
  id: number,
  message: MessageContext,
): Promise<MessageContext> {
  const { expectedVersion } = message;
  if (expectedVersion === null) return message;
  const since = await store.readStream(automationStream(id), { fromVersion: expectedVersion + 1 });
  if (!since.every(({ type }) => notes.has(type))) return message;
  return { ...message, expectedVersion: expectedVersion + since.length };
}
