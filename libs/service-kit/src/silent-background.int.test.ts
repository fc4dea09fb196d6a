import type { SqlExecutor } from '@parley/event-store';
import { startCuttingProxy, startServiceCopies } from '@parley/testing';
import { expect, inject, onTestFinished, test } from 'vitest';
import { notesService } from './notes-service.fixture.ts';

test('what works in the background waits for no answer over a connection that was lost without a word', async () => {
  const proxy = await startCuttingProxy(inject('postgresUrl'));
  onTestFinished(() => proxy.close());
  let sql: SqlExecutor | undefined;
  const service = {
    ...notesService,
    background(parts: Parameters<NonNullable<typeof notesService.background>>[0]) {
      sql = parts.sql;
      return {};
    },
  };
  const copies = await startServiceCopies(service, 1, { DATABASE_URL: proxy.url });
  onTestFinished(() => copies.close());
  const ask = () => sql?.query({ text: 'select 1 as answer' });
  expect((await ask())?.rows).toEqual([{ answer: 1 }]);
  proxy.goSilent();
  await expect(ask()).rejects.toThrow('Query read timeout');
});
