import { createFolder } from '@parley/contracts';
import type { BusClient, BusReply, BusRequest } from '@parley/message-bus';
import { expect, onTestFinished, test, vi } from 'vitest';
import { actionContext } from './action-context.fixture.ts';
import { createAskService } from './ask-service.ts';

/** A service of several copies, which answer when the test wants them to; time passes as it says. */
function silentCopies() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const asked: { readonly request: BusRequest; readonly answer: (reply: BusReply) => void }[] = [];
  const bus: BusClient = {
    request: (request) => new Promise((answer) => asked.push({ request, answer })),
    async close() {},
  };
  return { ask: createAskService(bus), asked };
}

test('a step whose command may have died with the copy that it was given to soon asks another one for it', async () => {
  const { ask, asked } = silentCopies();
  const context = actionContext();
  const answer = ask(createFolder, { name: 'Sales' }, context);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked.map(({ request }) => request.context.commandId)).toEqual([
    context.effectKey,
    context.effectKey,
  ]);
  asked[1]?.answer({ kind: 'ok', body: '{"id":1}' });
  expect(await answer).toEqual({ kind: 'ok', body: { id: 1 } });
});

test('a step that no copy answers has no answer after twenty seconds', async () => {
  const { ask } = silentCopies();
  const answer = ask(createFolder, { name: 'Sales' }, actionContext());
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await answer).toEqual({ kind: 'silence', code: 'timeout' });
});
