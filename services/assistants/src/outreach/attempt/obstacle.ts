import { isOpenAt } from '@parley/opening-hours';
import type { QueuedAttempt } from './attempt-events.ts';

/** Why an attempt is not to be carried out any more; undefined when it is. */
export function obstacleTo(
  { lead, settings, now }: Pick<QueuedAttempt, 'lead' | 'settings' | 'now'>,
  isRunning: boolean,
): string | undefined {
  if (!isRunning) return 'The campaign was stopped.';
  if (!isOpenAt(settings, now)) return 'The window has closed.';
  return lead.attempt?.isOutdated ? 'The phone number was changed.' : undefined;
}
