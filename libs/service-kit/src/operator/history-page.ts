import type { getHistory } from '@parley/contracts';
import type { z } from 'zod';
import type { ResourceChange } from '../resource.ts';

type Asked = z.output<typeof getHistory.input>;
type History = z.output<typeof getHistory.output>;
type Change = History['changes'][number];

/** What of a resource's changes (oldest first) was asked for, and where its next page begins. */
export function historyPage(
  changes: readonly ResourceChange[],
  asked: Asked,
): Pick<History, 'changes' | 'next_before'> {
  const wanted = changes.filter(matching(asked));
  if (!asked.page) return { changes: wanted.map(toMessage), next_before: null };
  const { before_version: before, limit } = asked.page;
  const older = wanted.filter(({ event }) => before === null || event.streamVersion < before).reverse();
  const page = older.slice(0, limit).map(toMessage);
  return { changes: page, next_before: older.length > limit ? (page.at(-1)?.version ?? null) : null };
}

const toMessage = ({ event, summary, before, after }: ResourceChange): Change => ({
  event: event.type,
  event_id: event.eventId,
  summary,
  version: event.streamVersion,
  position: event.position,
  occurred_at: event.recordedAt,
  actor: event.metadata.actor,
  request_id: event.metadata.correlationId,
  caused_by: event.metadata.causationId,
  // What `show` gives is JSON.
  before: before as Change['before'],
  after: after as Change['after'],
});

/** `actor` is an id (`12`), a kind (`operator`) or both (`api_key:12`); `since` and `until` are included. */
const matching =
  ({ since, until, actor, types }: Asked) =>
  ({ event }: ResourceChange): boolean => {
    const { kind, id } = event.metadata.actor;
    if (actor !== undefined && ![id, kind, `${kind}:${id}`].includes(actor)) return false;
    if (types !== undefined && !types.includes(event.type)) return false;
    const at = new Date(event.recordedAt);
    return (since === undefined || at >= new Date(since)) && (until === undefined || at <= new Date(until));
  };
