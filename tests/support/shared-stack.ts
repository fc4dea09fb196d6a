import { inject } from 'vitest';

/** What tests know of the stack that all of the black-box tier share. */
export interface SharedStack {
  readonly home: string;
  readonly gatewayUrls: readonly string[];
  readonly natsUrl: string;
  readonly databaseUrl: string;
  readonly sandboxUrl: string;
}

/** Tests with stacks of their own have none. */
const url: string | undefined = inject('sharedStackUrl');
const stack = url === undefined ? undefined : await ask(url);

export function sharedStack(): SharedStack {
  if (!stack) throw new Error('Tests of this tier share no stack.');
  return stack;
}

async function ask(url: string): Promise<SharedStack> {
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text);
}
