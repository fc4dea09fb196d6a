import { eventually } from '@parley/testing';
import { request } from 'undici';

/** A server-sent event as a client gets it. */
interface FeedEvent {
  readonly id: number;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

export interface Feed {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** What has come so far; grows. */
  readonly events: readonly FeedEvent[];
  /** Resolves when the server has ended the feed. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Opens `path` as server-sent events, once the gateway is not behind. */
export async function openFeed(url: string, key: string, path: string, lastEventId?: number): Promise<Feed> {
  const stop = new AbortController();
  const answer = await eventually(
    async () => {
      const opened = await request(url + path, {
        headers: {
          authorization: `Bearer ${key}`,
          accept: 'text/event-stream',
          ...(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }),
        },
        signal: stop.signal,
        bodyTimeout: 0,
      });
      if (opened.statusCode === 503) throw new Error(await opened.body.text());
      return opened;
    },
    undefined,
    1_000,
  );
  const events: FeedEvent[] = [];
  const read = async () => {
    let rest = '';
    for await (const chunk of answer.body.setEncoding('utf8')) {
      const frames = (rest + chunk).split('\n\n');
      rest = frames.pop() ?? '';
      events.push(...frames.filter((frame) => !frame.startsWith(':')).map(parseFrame));
    }
  };
  const ended = read().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  return { status: answer.statusCode, headers: answer.headers, events, ended, close: () => stop.abort() };
}

function parseFrame(frame: string): FeedEvent {
  const field = (name: string) =>
    frame
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? '';
  return { id: Number(field('id')), event: field('event'), data: JSON.parse(field('data')) };
}
