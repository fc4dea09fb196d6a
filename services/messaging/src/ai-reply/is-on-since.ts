import type { RecordedEvent } from '@parley/event-store';

const switches: ReadonlySet<string> = new Set([
  'ConversationStarted',
  'ConversationAiEnabled',
  'ConversationAiDisabled',
]);

/**
 * Whether AI replies were on when the log was at `position`, and have been on since; `history` is the conversation's
 * stream. Turning them on again is meant for new messages, not for earlier ones (service-api, section 3).
 */
export function isOnSince(history: readonly RecordedEvent[], position: number): boolean {
  const last = history.findLast(({ type }) => switches.has(type));
  return last !== undefined && last.type !== 'ConversationAiDisabled' && last.position < position;
}
