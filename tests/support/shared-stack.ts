import { startStack } from '@parley/testing';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    stack: {
      readonly home: string;
      readonly gatewayUrls: readonly string[];
      readonly natsUrl: string;
      readonly databaseUrl: string;
      readonly sandboxUrl: string;
    };
  }
}

/** Vitest global setup: one whole stack for the run, two of everything; tests that kill things start their own. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stack = await startStack({
    hasDemo: true,
    copies: { gateway: 2, accounts: 2, assistants: 2, messaging: 2, telephony: 2, automations: 2 },
    env: project.config.env,
  });
  const { home, gatewayUrls, natsUrl, databaseUrl, sandboxUrl } = stack;
  project.provide('stack', { home, gatewayUrls, natsUrl, databaseUrl, sandboxUrl });
  return async () => {
    await stack.stop();
  };
}
