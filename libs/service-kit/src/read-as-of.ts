import type { Aggregates, Fold, Loaded, NewEvent } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import { momentOf } from './moment.ts';
import { notFoundReply, rejectedReply } from './replies.ts';

interface PastOf<State, Event extends NewEvent> {
  readonly accountId: number;
  readonly streamId: string;
  readonly fold: Fold<State, Event>;
}

/**
 * Answers a GET with `as_of`: what the stream's state was at that moment, rendered as the API shows it. What did not
 * exist then, is another account's or is rendered as `null` is not found.
 */
export async function readAsOf<State, Event extends NewEvent>(
  aggregates: Aggregates,
  asOf: string,
  { accountId, streamId, fold }: PastOf<State, Event>,
  render: (state: State, at: Loaded<State>) => object | null,
): Promise<BusReply> {
  const moment = momentOf(asOf);
  if ('code' in moment) return rejectedReply(moment);
  const at = await aggregates.loadAt(streamId, fold, moment);
  const shown = at.version > 0 && at.accountId === accountId ? render(at.state, at) : null;
  if (!shown) return notFoundReply();
  return { kind: 'ok', body: JSON.stringify({ data: shown }), version: at.version };
}
