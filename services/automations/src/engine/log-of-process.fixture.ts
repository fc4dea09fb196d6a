import type { EventStore } from '@parley/event-store';
import type { DueTimer, TimerHandler } from '@parley/processing';
import type { Process } from './processes.fixture.ts';

export const metadata = {
  correlationId: 'test',
  causationId: 'test',
  actor: { kind: 'api_key', id: 'test' },
} as const;

/** The log as one process reaches it. */
export const reachStore = (store: EventStore, process: Process): EventStore => ({
  append: process.reach((request) => store.append(request)),
  appendRun: process.reach((requests) => store.appendRun(requests)),
  readStream: process.reach((streamId, options) => store.readStream(streamId, options)),
  readAll: process.reach((options) => store.readAll(options)),
  readPage: process.reach((options) => store.readPage(options)),
  findCommand: process.reach((commandId) => store.findCommand(commandId)),
  findSnapshot: process.reach((...asked) => store.findSnapshot(...asked)),
  keepSnapshot: process.reach((...kept) => store.keepSnapshot(...kept)),
  head: process.reach(() => store.head()),
  now: process.reach(() => store.now()),
  onAppended: (wake) => store.onAppended(wake),
  onErased: (forget) => store.onErased(forget),
  close: () => store.close(),
});

/** As `startTimers` does it; `isAnswerLost` is asked after each append whether nobody hears what came of it. */
export async function fire(
  timer: DueTimer,
  timers: Readonly<Record<string, TimerHandler>>,
  store: EventStore,
  isAnswerLost: () => boolean,
): Promise<void> {
  for (let race = 0; race < 10; race += 1) {
    const request = await timers[timer.kind]?.(timer, { store, metadata: { ...metadata, commandId: null } });
    if (!request) return;
    const { afterwards, otherwise, ...append } = request;
    const { id, dueAt } = timer;
    const result = await store.append({ ...append, firesTimer: { id, dueAt } });
    const isLost = isAnswerLost();
    if (result.kind === 'appended' && !isLost) return afterwards?.();
    otherwise?.();
    if (isLost) return;
    if (result.kind !== 'conflict') return;
  }
}
