import { type RunningStack, startStack } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPage, runAsShown, statementsOf } from '../support/shell-examples.ts';

let stack: RunningStack;

beforeAll(async () => {
  stack = await startStack({ hasDemo: true });
});

afterAll(async () => {
  await stack?.stop();
});

test.each([
  'docs/chat-app.md',
  'docs/calls.md',
  'docs/campaigns.md',
  'docs/phone-numbers.md',
  'docs/webhooks.md',
])('the commands of %s, copied to a shell, print what it shows', async (path) => {
  const statements = statementsOf(readPage(path));
  expect(statements.filter(({ shown }) => shown)).not.toEqual([]);
  await runAsShown(statements, stack);
});
