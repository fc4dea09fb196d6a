import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RunningStack, startStack } from '@parley/testing';
import type { TestProject } from 'vitest/node';
import type { SharedStack } from './shared-stack.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whoever asks there is told of the shared stack, once it is ready. */
    sharedStackUrl: string;
  }
}

/**
 * Vitest global setup: one whole stack for the run, two of everything; tests that kill things start their own. It starts
 * when the first test asks for it: all tiers are set up before any of them runs, and a stack that nobody uses takes a fifth
 * of a core.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let starting: Promise<RunningStack> | undefined;
  const server = createServer((_, response) => {
    starting ??= startStack({
      hasDemo: true,
      copies: { gateway: 2, accounts: 2, assistants: 2, messaging: 2, telephony: 2, automations: 2 },
      env: project.config.env,
    });
    starting.then(
      ({ home, gatewayUrls, natsUrl, databaseUrl, sandboxUrl }) => {
        const stack: SharedStack = { home, gatewayUrls, natsUrl, databaseUrl, sandboxUrl };
        response.end(JSON.stringify(stack));
      },
      (error) => response.writeHead(503).end(String(error)),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  project.provide('sharedStackUrl', `http://127.0.0.1:${port}`);
  return async () => {
    server.close();
    server.closeAllConnections();
    const stack = await starting?.catch(() => undefined);
    await stack?.stop();
  };
}
