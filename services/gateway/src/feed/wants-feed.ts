import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

const page = 'application/json; charset=utf-8';
const feed = 'text/event-stream; charset=utf-8';

/**
 * Whether `Accept` names `text/event-stream` and prefers it to JSON; on a tie the first named wins. `text/*` does not count.
 * HEAD gets no feed: a feed has no end.
 */
export const wantsFeed = ({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean =>
  method === 'GET' &&
  /text\/event-stream/i.test(headers.accept ?? '') &&
  new Negotiator({ headers }).mediaType([page, feed]) === feed;
