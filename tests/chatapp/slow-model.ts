import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

/** What is answered to whatever the model was told nothing else about. */
export const usualAnswer = 'At nine.';

/** Requests about the same words that were answered, or that somebody still waits for. */
interface Asked {
  count: number;
  /** The most that there were. */
  most: number;
}

interface Told {
  readonly words: string;
  readonly content: string;
  readonly asked: Asked;
  thinks(): Promise<unknown>;
}

/** A language model that answers at once, but for words that it is told to think about. */
export interface SlowModel {
  readonly url: string;
  /** It thinks about what holds these words until `answer` is called. */
  thinksAbout(words: string): { readonly asked: Readonly<Asked>; answer(): void };
  /** It thinks for `afterMs` milliseconds about what holds these words, and answers with `content`. */
  answers(words: string, how: { readonly afterMs?: number; readonly content?: string }): Readonly<Asked>;
  close(): void;
}

/** What it was told last about words of a question counts. */
export async function startSlowModel(): Promise<SlowModel> {
  const told: Told[] = [];
  const tell = (words: string, thinks: () => Promise<unknown>, content: string = usualAnswer): Asked => {
    const asked = { count: 0, most: 0 };
    told.unshift({ words, thinks, content, asked });
    return asked;
  };
  const server = createServer(async (request, response) => {
    const question = await text(request);
    const about = told.find(({ words }) => question.includes(words));
    if (about) {
      const { asked } = about;
      asked.count += 1;
      asked.most = Math.max(asked.most, asked.count);
      // Whoever gives up, as where the machine stands still, asks again.
      response.once('close', () => {
        if (!response.writableEnded) asked.count -= 1;
      });
      await about.thinks();
    }
    const choices = [{ message: { content: about?.content ?? usualAnswer } }];
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ choices }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    thinksAbout(words) {
      const { promise, resolve } = Promise.withResolvers<void>();
      return { asked: tell(words, () => promise), answer: resolve };
    },
    answers: (words, { afterMs = 0, content }) => tell(words, () => pause(afterMs), content),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
