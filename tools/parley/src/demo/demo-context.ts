import { CommandFailed, exitCodes } from '../exit-codes.ts';
import type { DemoContext } from './demo-part.ts';

export interface DemoTarget {
  /** Base URLs by which this process reaches the gateway (`via`) and the sandbox (`sandboxVia`). */
  readonly via: string;
  readonly sandboxVia: string;
  readonly apiKey: string;
}

/** Calls the API and the sandbox for the demo; throws `CommandFailed` for whatever is refused. */
export function demoContext({ via, sandboxVia, apiKey }: DemoTarget): DemoContext {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };

  async function send(method: string, path: string, body: unknown, extra: object = {}): Promise<void> {
    const url = `${via}${path}`;
    const answer = await call(url, {
      method,
      headers: { ...headers, ...extra },
      body: JSON.stringify(body),
    });
    if (answer.ok) return;
    const text = await answer.text();
    // Made more than a day ago (decisions, section 8): the answer is forgotten, the effect is there.
    if (answer.status === 409 && text.includes('"idempotency_key_expired"')) return;
    // Made before with another content, since the content depends on what the user has changed, such as the newest
    // folder.
    if (answer.status === 422 && text.includes('"idempotency_key_reuse"')) return;
    throw new CommandFailed(`${method} ${url} answered ${answer.status}: ${text}`);
  }

  return {
    post: (path, body, name) => send('POST', path, body, { 'idempotency-key': `demo-${name}` }),
    put: (path, body) => send('PUT', path, body),
    async get(path, schema) {
      const url = `${via}${path}`;
      const answer = await call(url, { headers });
      if (!answer.ok) throw new CommandFailed(`GET ${url} answered ${answer.status}`);
      return schema.parse(await answer.json());
    },
    async control(path, body) {
      const url = `${sandboxVia}/control/${path}`;
      const answer = await call(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!answer.ok)
        throw new CommandFailed(`POST ${url} answered ${answer.status}: ${await answer.text()}`);
    },
  };
}

export const call = (url: string, request: RequestInit): Promise<Response> =>
  fetch(url, { ...request, signal: AbortSignal.timeout(15_000) }).catch((cause) => {
    throw new CommandFailed(`${url} does not answer.`, exitCodes.unreachable, { cause });
  });
