import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

const page = 'application/json; charset=utf-8';
const feed = 'text/event-stream; charset=utf-8';

/**
 * A client asks for server-sent events by what it accepts, and by name: any text (`text/*`) is none without an end. Who
 * likes both as much gets what it names first. The answer to a HEAD ends, so it is that without a feed.
 */
export const wantsFeed = ({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean =>
  method === 'GET' &&
  /text\/event-stream/i.test(headers.accept ?? '') &&
  new Negotiator({ headers }).mediaType([page, feed]) === feed;
