import type { ProjectionDb } from '@parley/processing';
import type { RecordedHandled } from './conversation-events.ts';

/** Writes what a batch of events changes of conversations. */
export function projectConversations(events: readonly RecordedHandled[], db: ProjectionDb): void {
  insertStarted(events, db);
  update(
    db,
    'name',
    'contact_name',
    'text',
    lastOf(events, (event) =>
      event.type === 'ConversationContactNamed'
        ? { id: event.data.conversation_id, value: event.data.contact_name }
        : undefined,
    ),
  );
  const moved = events.flatMap((event) => (event.type === 'ConversationContactMoved' ? [event] : []));
  update(
    db,
    'move',
    'moved_to',
    'text',
    lastOf(moved, ({ data }) => ({ id: data.conversation_id, value: data.moved_to })),
  );
  update(
    db,
    'move-at',
    'moved_position',
    'int8',
    lastOf(moved, ({ data, position }) => ({ id: data.conversation_id, value: position })),
  );
  update(
    db,
    'marketing',
    'marketing_stopped_at',
    'timestamptz',
    lastOf(events, (event) => {
      if (event.type === 'ConversationMarketingStopped')
        return { id: event.data.conversation_id, value: event.data.at };
      return event.type === 'ConversationMarketingResumed'
        ? { id: event.data.conversation_id, value: null }
        : undefined;
    }),
  );
  update(
    db,
    'switch',
    'is_ai_enabled',
    'bool',
    lastOf(events, (event) =>
      event.type === 'ConversationAiEnabled' || event.type === 'ConversationAiDisabled'
        ? { id: event.data.conversation_id, value: event.type === 'ConversationAiEnabled' }
        : undefined,
    ),
  );
}

function insertStarted(events: readonly RecordedHandled[], db: ProjectionDb): void {
  const started = events.flatMap((event) => (event.type === 'ConversationStarted' ? [event] : []));
  if (started.length === 0) return;
  db.query({
    name: 'start',
    text: `insert into ${db.schema}.conversations
             (id, account_id, position, uuid, sender_id, contact_phone, contact_name, created_at)
           select * from unnest($1::int8[], $2::int8[], $3::int8[], $4::uuid[], $5::int8[], $6::text[], $7::text[],
             $8::timestamptz[])`,
    values: [
      started.map(({ data }) => data.conversation_id),
      started.map(({ accountId }) => accountId),
      started.map(({ position }) => position),
      started.map(({ data }) => data.uuid),
      started.map(({ data }) => data.sender_id),
      started.map(({ data }) => data.contact_phone),
      started.map(({ data }) => data.contact_name),
      started.map(({ recordedAt }) => recordedAt),
    ],
  });
}

interface Change {
  readonly id: number;
  readonly value: string | number | boolean | null;
}

function lastOf<Event extends RecordedHandled>(
  events: readonly Event[],
  read: (event: Event) => Change | undefined,
): readonly Change[] {
  const last = new Map<number, Change>();
  for (const event of events) {
    const change = read(event);
    if (change) last.set(change.id, change);
  }
  return [...last.values()];
}

function update(
  db: ProjectionDb,
  name: string,
  column: string,
  type: string,
  changes: readonly Change[],
): void {
  if (changes.length === 0) return;
  db.query({
    name,
    text: `update ${db.schema}.conversations v set ${column} = c.value
           from unnest($1::int8[], $2::${type}[]) c (id, value) where v.id = c.id`,
    values: [changes.map(({ id }) => id), changes.map(({ value }) => value)],
  });
}
