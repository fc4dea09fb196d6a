import { startOwnNats } from '@parley/testing';
import { afterAll } from 'vitest';
import { startService, startTestGateway, type TestGatewayOptions, TestKeys } from './gateway.fixture.ts';
import { type Asked, accountsController, foldersController } from './services.fixture.ts';

export interface CallOptions {
  readonly key?: string | null;
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly rawBody?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A gateway with everything behind it, for the tests of one file; stopped after them. */
export async function startPlatform(options: Omit<TestGatewayOptions, 'natsUrl'> = {}) {
  const bus = await startOwnNats();
  const keys = new TestKeys();
  const asked: Asked[] = [];
  const folders = foldersController(asked);
  const accounts = await startService(bus.url, 'accounts', [accountsController(keys)]);
  const assistants = await startService(bus.url, 'assistants', [folders]);
  const gateway = await startTestGateway({ natsUrl: bus.url, ...options });
  const key = keys.issue();
  afterAll(async () => {
    await gateway.close();
    await Promise.all([accounts.close(), assistants.close()]);
    await bus.stop();
  });
  const call = createCall(gateway.url, key);
  return { bus, keys, key, asked, folders, accounts, assistants, gateway, url: gateway.url, call };
}

export interface Called {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

/** Calls a gateway with `key`, or as the options say; `key: null` sends none. */
export function createCall(url: string, key: string) {
  return async (method: string, path: string, options: CallOptions = {}): Promise<Called> => {
    const hasBody = options.body !== undefined || options.rawBody !== undefined;
    const token = options.key === undefined ? key : options.key;
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(hasBody && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(hasBody && { body: options.rawBody ?? JSON.stringify(options.body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
  };
}
