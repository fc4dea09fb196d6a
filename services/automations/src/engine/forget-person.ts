import type { EventMetadata, EventStore, SqlExecutor } from '@parley/event-store';
import { type EndDealings, mentionPatterns } from '@parley/service-kit';
import type { PayloadSearch, PayloadStore } from '../payloads/payload-store.ts';
import { endRun, payloadsGone } from '../run/advance/end-run.ts';
import { retentionTimerId, runTimerId } from '../timers/run-timers.ts';
import { runsOfAccount } from '../views/run-queries.ts';
import type { Definitions } from './ports.ts';
import { progressWithoutMemory, RunLog } from './run-log.ts';

interface Parts {
  readonly definitions: Definitions;
  readonly payloads: PayloadStore & PayloadSearch;
  readonly sql: SqlExecutor;
  readonly store: EventStore;
}

/** Erases the payloads of an account's runs that mention the person; a run that is still under way ends as failed. */
export function forgetPerson({ definitions, payloads, sql, store }: Parts): EndDealings {
  const log = new RunLog(store);

  async function forget(runId: string, metadata: EventMetadata): Promise<void> {
    for (;;) {
      const loaded = await log.load(runId);
      if (!loaded || loaded.run.isErased) break;
      const { automationId, version } = loaded.run;
      const [definition, now] = await Promise.all([definitions.load(automationId, version), store.now()]);
      const progress = progressWithoutMemory(loaded, now.getTime());
      endRun(progress, payloadsGone, definition);
      progress.add({ type: 'RunPayloadsErased', data: { run_id: runId, why: 'request', at: progress.at } });
      const effects = { metadata, cancelTimers: [runTimerId(runId), retentionTimerId(runId)] };
      const { kind } = await store.append(log.request(loaded, progress, effects));
      if (kind !== 'conflict') break;
    }
    await payloads.erase(runId);
  }

  return async ({ accountId, phoneNumbers, metadata }) => {
    const mentions = mentionPatterns({ phoneNumbers });
    for await (const runId of runsOfAccount(sql, accountId))
      if (await payloads.match({ accountId, runId }, mentions)) await forget(runId, metadata);
  };
}
