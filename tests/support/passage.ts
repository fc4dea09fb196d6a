import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { request } from 'undici';

/**
 * A proxy between the services and the sandbox that lets a test do something between the effect of a request and
 * its answer.
 */
export interface Passage {
  readonly url: string;
  /** Does `work` before the answer of the next POST to such a path is passed on; resolves when it has been. */
  beforeAnswer(path: RegExp, work: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

interface Waiting {
  readonly path: RegExp;
  readonly work: () => Promise<void>;
  readonly done: () => void;
}

/** Headers that belong to one connection and are not passed on. */
const ofHop = new Set(['connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding']);
const endToEnd = (headers: IncomingMessage['headers']) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofHop.has(name)));

export async function startPassage(to: string): Promise<Passage> {
  let waiting: Waiting | undefined;

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = incoming;
    const body = await buffer(incoming);
    const answer = await request(new URL(url, to), {
      method: method as 'POST',
      headers: endToEnd(headers),
      body: body.length > 0 ? body : null,
    });
    const content = await buffer(answer.body);
    const due = method === 'POST' && waiting?.path.test(url) ? waiting : undefined;
    if (due) waiting = undefined;
    await due?.work();
    outgoing.writeHead(answer.statusCode, endToEnd(answer.headers)).end(content, due?.done);
  }

  const server = createServer((incoming, outgoing) => {
    // When the sandbox is down, the proxy looks down, too.
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The passage has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    beforeAnswer: (path, work) =>
      new Promise((done) => {
        waiting = { path, work, done };
      }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
