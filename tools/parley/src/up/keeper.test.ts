import type { ServerExit } from '@parley/embedded-servers';
import { eventually } from '@parley/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Keeper, keepRunning, type Running } from './keeper.ts';

/** A process of the imagination: `end` is its death. */
function createProcess(pid: number) {
  const exited = Promise.withResolvers<ServerExit>();
  const calls: string[] = [];
  const end = (exit: ServerExit) => exited.resolve(exit);
  const running: Running = {
    pid,
    exited: exited.promise,
    async stop() {
      calls.push('stop');
      end({ code: 0, signal: null });
    },
    kill() {
      calls.push('kill');
      end({ code: null, signal: 'SIGKILL' });
    },
  };
  return { running, end, calls };
}

function keep(start: (abort: AbortSignal) => Promise<Running>) {
  const downs: string[] = [];
  const keeper: Keeper = keepRunning({
    name: 'x',
    start,
    firstTries: 2,
    onUp: () => undefined,
    onDown: (reason) => downs.push(reason),
  });
  return { keeper, downs };
}

test('a process that dies is started again', async () => {
  const processes = [createProcess(1), createProcess(2)];
  let started = 0;
  const { keeper, downs } = keep(async () => (processes[started++] ?? createProcess(9)).running);
  await keeper.ready;
  expect(keeper.pid()).toBe(1);
  processes[0]?.end({ code: null, signal: 'SIGKILL' });
  await eventually(() => expect(keeper.pid()).toBe(2));
  expect(downs).toEqual(['was ended by SIGKILL']);
  await keeper.stop();
  expect(processes[1]?.calls).toEqual(['stop']);
});

test('a process that dies as soon as it is up waits longer each time, however long its start takes', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const delays: number[] = [];
  const enough = Promise.withResolvers<void>();
  const keeper = keepRunning({
    name: 'x',
    async start() {
      vi.advanceTimersByTime(20_000);
      const { running, end } = createProcess(1);
      end({ code: 1, signal: null });
      return running;
    },
    firstTries: 2,
    onUp: () => undefined,
    onDown: (_, delayMs) => delays.push(delayMs) === 3 && enough.resolve(),
  });
  await enough.promise;
  await keeper.stop();
  expect(delays).toEqual([100, 200, 400]);
});

test('a process that never comes up is given up', async () => {
  const { keeper, downs } = keep(async () => {
    throw new Error('no\nits last lines');
  });
  await expect(keeper.ready).rejects.toThrow('no');
  expect(downs).toEqual(['no']);
});

test('stopping while it starts stops what has started', async () => {
  const gate = Promise.withResolvers<void>();
  const late = createProcess(1);
  const { keeper } = keep(async () => {
    await gate.promise;
    return late.running;
  });
  const stopped = keeper.stop();
  gate.resolve();
  await stopped;
  expect(late.calls).toEqual(['stop']);
});

test('nothing is started after a stop', async () => {
  let starts = 0;
  const only = createProcess(1);
  const { keeper } = keep(async () => {
    starts += 1;
    return only.running;
  });
  await keeper.ready;
  only.end({ code: 1, signal: null });
  await keeper.stop();
  expect(starts).toBe(1);
});
