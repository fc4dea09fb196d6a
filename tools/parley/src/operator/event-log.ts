import { isActedBy, type RecordedEventMessage, readEvents, readPersonEvents } from '@parley/contracts';
import { expectOk, type Operator } from './operator.ts';

export interface EventFilter {
  readonly streamId: string | undefined;
  readonly types: readonly string[];
  readonly accountId: number | undefined;
  /** Only what this one did: an id, a kind or both. */
  readonly actor?: string | undefined;
  /** Only what is known of this person (E.164) of that account. */
  readonly subject?: string | undefined;
}

export type LogEvent = RecordedEventMessage & { readonly service: string };

const pageSize = 500;

/** Position of the newest event of a service. */
export async function readHead(operator: Operator, service: string): Promise<number> {
  const page = await operator.ask(service, readEvents, { after: 0, limit: 1 });
  return expectOk(page, service).head;
}

/** Position of the last event of a service before a time, 0 when there is none; `head` is that of its newest. */
export async function readPositionBefore(
  operator: Operator,
  service: string,
  time: string,
  head: number,
): Promise<number> {
  let before = 0;
  let notBefore = head + 1;
  // Positions are dense, and times in their order.
  while (notBefore - before > 1) {
    const position = Math.floor((before + notBefore) / 2);
    const page = await operator.ask(service, readEvents, { after: position - 1, limit: 1 });
    const [event] = expectOk(page, service).events;
    if (event && Date.parse(event.recorded_at) < Date.parse(time)) before = position;
    else notBefore = position;
  }
  return before;
}

/** The wanted events of one service with `after < position <= until`, in order. */
export async function* readLog(
  operator: Operator,
  service: string,
  filter: EventFilter,
  after: number,
  until: number,
): AsyncGenerator<LogEvent> {
  let position = after;
  while (position < until) {
    const answer = await readPage(operator, service, filter, { after: position, limit: pageSize });
    const { events, head, reached } = expectOk(answer, service);
    for (const event of events)
      if (event.position <= until && isWanted(filter, event)) yield { ...event, service };
    // Pages are cut to what a message holds: one that is not full need not be the last.
    const next = reached ?? events.at(-1)?.position ?? head;
    if (next <= position) return;
    position = next;
  }
}

/** Services do not know this filter. */
const isWanted = ({ actor }: EventFilter, { metadata }: RecordedEventMessage): boolean =>
  actor === undefined || isActedBy(actor, metadata.actor);

function readPage(
  operator: Operator,
  service: string,
  { streamId, types, accountId, subject }: EventFilter,
  page: { readonly after: number; readonly limit: number },
) {
  if (accountId !== undefined && subject !== undefined)
    return operator.ask(service, readPersonEvents, { ...page, account_id: accountId, phone_number: subject });
  return operator.ask(service, readEvents, {
    ...page,
    ...(streamId === undefined ? {} : { stream_id: streamId }),
    ...(types.length === 0 ? {} : { types: [...types] }),
    ...(accountId === undefined ? {} : { account_id: accountId }),
  });
}
