import { textUpTo } from '@parley/contracts';
import { expect, test, vi } from 'vitest';
import { eventTypes, textFor } from './arguments.ts';
import { exitCodes } from './exit-codes.ts';
import { createProgram } from './program.ts';
import { run } from './run.ts';

async function runQuietly(...args: string[]): Promise<number> {
  const silence = [vi.spyOn(process.stderr, 'write'), vi.spyOn(process.stdout, 'write')];
  for (const stream of silence) stream.mockReturnValue(true);
  try {
    return await run(createProgram(), ['node', 'parley', ...args]);
  } finally {
    for (const stream of silence) stream.mockRestore();
  }
}

test.each([
  [['nonsense']],
  [['events', '--account', '0']],
  [['events', '--subject', '+491701234567']],
  [['events', '--subject', '+491701234567', '--account', '1', '--type', 'MessageReceived']],
  [['events', '--after', 'x']],
  [['audit']],
  [['state', 'folder/1', '--at', 'yesterday']],
  [['audit', 'folder/1', '--since', 'v:3']],
  [['audit', 'folder/1', '--actor', 'nonsense']],
  [['audit', 'folder/1', '--actor', 'nonsense:3']],
  [['events', '--type', 'FolderCreated', 'Nonsense']],
  [['events', 'folder/1']],
  [['events', 'nonsense-1']],
  [['up', '--logs', 'loud']],
  [['register', '--email', 'nobody', '--name', 'Ada']],
  [['register', '--email', 'ada@example.com', '--name', 'Ada', '--billing-unit', 'euros']],
  [['register', '--email', 'ada@example.com', '--name', ' ']],
  [['issue-key', '--account', '1', '--name', '']],
  [['issue-key', '--account', '1', '--name', ' ']],
  [['top-up', '--account', '1', '--amount', '0', '--reference', 'invoice 7']],
  [['top-up', '--account', '1', '--amount', '1.2345678', '--reference', 'invoice 7']],
  [['top-up', '--account', '1', '--amount', '12.50']],
  [['top-up', '--account', '1', '--amount', '12.50', '--reference', ' ']],
  [['debit', '--account', '1', '--amount', '-12.50', '--reference', 'x', '--description', 'x']],
  [['debit', '--account', '1', '--amount', '12.50', '--reference', 'dispute 7']],
  [['debit', '--account', '1', '--amount', '12.50', '--reference', 'dispute 7', '--description', ' ']],
])('wrong usage ends with 2: %j', async (args) => {
  expect(await runQuietly(...args)).toBe(exitCodes.usage);
});

test('a text that is not taken is called by no name of a field', () =>
  expect(() => textFor(textUpTo(255))('')).toThrow('It is required.'));

test('a stream behind types is not taken for one of them', () => {
  expect(eventTypes('FolderCreated', ['FolderDeleted'])).toEqual(['FolderDeleted', 'FolderCreated']);
  expect(() => eventTypes('folder-12')).toThrow('A stream comes before the options.');
  expect(() => eventTypes('Nonsense')).toThrow('There are no such events; /asyncapi.json');
  expect(() => eventTypes('apikey')).toThrow(/With that in their name: ApiKeyCreated, ApiKeyDeleted\.$/);
});

test.each([
  ['SECRETS_KEYS', 'abc', 'up'],
  ['NATS_URL', 'nats://parley:pass/word@127.0.0.1', 'up'],
  ['NATS_URL', 'nats://parley:pass/word@127.0.0.1', 'projections'],
  ['SANDBOX', 'false', 'up'],
])('%s=%s is refused before anything is asked or started', async (key, value, command) => {
  vi.stubEnv(key, value);
  expect(await runQuietly(command)).toBe(exitCodes.usage);
  vi.unstubAllEnvs();
});

test('nobody types an export: import needs a file', async () => {
  const stdin = vi.spyOn(process, 'stdin', 'get').mockReturnValue({ isTTY: true } as typeof process.stdin);
  expect(await runQuietly('import')).toBe(exitCodes.usage);
  stdin.mockRestore();
});

test('help ends with 0', async () => {
  expect(await runQuietly('--help')).toBe(exitCodes.ok);
  expect(await runQuietly('rebuild', '--help')).toBe(exitCodes.ok);
});
