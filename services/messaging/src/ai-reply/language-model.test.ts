import { once } from 'node:events';
import { createServer } from 'node:http';
import { Secret } from '@parley/process-kit';
import { expect, onTestFinished, test } from 'vitest';
import { createLanguageModel } from './language-model.ts';

/** What is made of a completion with this text. */
async function said(content: string): Promise<string> {
  const server = createServer((_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ choices: [{ message: { content } }] })),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const model = createLanguageModel({
    baseUrl: `http://127.0.0.1:${port}`,
    apiKey: new Secret('key'),
    model: 'any',
    timeoutMs: 5_000,
  });
  return model.complete({ turns: [], temperature: 0, idempotencyKey: 'one' });
}

test('what the model says is given as far as it can be stored', async () => {
  expect(await said(' Tomorrow. ')).toBe('Tomorrow.');
  expect(await said('\u0000 To\u0000morrow \ud83d')).toBe('Tomorrow \ufffd');
});

test.each(['', ' ', '\u0000 \u0000'])('%j is no answer', async (content) => {
  await expect(said(content)).rejects.toThrow();
});
