import type { RecordedEvent } from '@parley/event-store';

const switches: ReadonlySet<string> = new Set([
  'ConversationStarted',
  'ConversationAiEnabled',
  'ConversationAiDisabled',
]);

/**
 * Whether AI replies were on in a conversation of this history when the log was at this position, and have been ever
 * since: turning them on again is meant for new messages, not for those that came before (service-api, section 3).
 */
export function isOnSince(history: readonly RecordedEvent[], position: number): boolean {
  const last = history.findLast(({ type }) => switches.has(type));
  return last !== undefined && last.type !== 'ConversationAiDisabled' && last.position < position;
}
