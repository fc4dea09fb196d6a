import { Agent, request } from 'undici';
import { checkRefusal, checkSuccess } from './contract-check.ts';
import { isNightly } from './tier.ts';

/** An answer as a client sees it; `text` are the exact bytes. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: unknown;
}

interface CallOptions {
  readonly body?: unknown;
  /** Sent as it is instead of `body`. */
  readonly raw?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Api {
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  get(path: string, options?: CallOptions): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  put(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  delete(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

const connections = new Agent({
  connections: 128,
  pipelining: 1,
  headersTimeout: 30_000,
  // Well before the gateway ends an idle connection, however late this process comes to it.
  keepAliveMaxTimeout: 5_000,
});

/** A client of one gateway with one key; `key` undefined sends no Authorization header. */
export function createApi(baseUrl: string, key?: string): Api {
  return apiOf(async (method, path, options = {}) => {
    const json = options.body === undefined ? undefined : JSON.stringify(options.body);
    const payload = options.raw ?? json;
    const response = await request(`${baseUrl}${path}`, {
      method: method as 'GET',
      dispatcher: connections,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      body: payload ?? null,
    });
    const content = await response.body.text();
    const { statusCode: status, headers } = response;
    const answer = { status, headers, text: content, body: parse(content) };
    checkRefusal(method, path, answer);
    if (isNightly) checkSuccess(method, path, answer);
    return answer;
  });
}

/** The methods by their names, on top of the one that asks. */
export const apiOf = (call: Api['call']): Api => ({
  call,
  get: (path, options) => call('GET', path, options),
  post: (path, body, headers = {}) => call('POST', path, { body, headers }),
  put: (path, body, headers = {}) => call('PUT', path, { body, headers }),
  delete: (path, headers = {}) => call('DELETE', path, { headers }),
});

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
