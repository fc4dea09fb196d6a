import { Aggregates } from '@parley/event-store';
import type { Background, BackgroundParts } from '@parley/service-kit';
import { createDefinitions } from './automation/definitions.ts';
import { releaseWebhooks } from './automation/release-webhooks.ts';
import { scheduleTimerKind } from './automation/schedule-timer.ts';
import { scheduleTimers } from './automation/schedule-timers.ts';
import type { AutomationsConfig } from './config.ts';
import { createConnections } from './connections/connections.ts';
import { createSecretStore } from './connections/secret-store.ts';
import { forgetPerson } from './engine/forget-person.ts';
import { endImportedRuns, importedRunKind, importedRuns } from './engine/imported-runs.ts';
import { startEngine } from './engine/start-engine.ts';
import { createActions, createPayloads, createStarter } from './parts.ts';
import { fireSchedule } from './triggers/fire-schedule.ts';
import { followEvents } from './triggers/follow-events.ts';

const noRunGoesOn =
  'MAX_CONCURRENT_RUNS is 0: runs begin, and none takes a step; start all copies without that to go on';

/** What goes on beside requests: what starts runs, and the engine that carries them out. */
export function automationsBackground(parts: BackgroundParts<AutomationsConfig>): Background {
  const { bus, config, eventsOf, logger, onProblem, ownership, pool, sql, store } = parts;
  if (config.MAX_CONCURRENT_RUNS === 0) logger.warn(noRunGoesOn);
  const definitions = createDefinitions(sql, createActions(bus, config));
  const secrets = createSecretStore(sql, config.SECRETS_KEYS);
  const payloads = createPayloads(sql, config);
  const starter = createStarter(store, definitions, payloads);
  const engine = startEngine({
    connections: createConnections(new Aggregates(store), secrets),
    definitions,
    logger,
    // Runs that are ready are found without a timer.
    maxConcurrentRuns: config.HOLD_BACKGROUND ? 0 : config.MAX_CONCURRENT_RUNS,
    onProblem,
    ownership,
    payloads,
    pool,
    sql,
    store,
  });
  return {
    reactors: [
      ...engine.reactors,
      ...followEvents({ bus, definitions, eventsOf, sql, starter, store }),
      releaseWebhooks(bus, sql),
    ],
    timers: {
      ...engine.timers,
      [importedRunKind]: endImportedRuns({ definitions, store }),
      [scheduleTimerKind]: fireSchedule({ definitions, sql, starter }),
    },
    standingTimers: [scheduleTimers(store), importedRuns(sql)],
    endDealings: forgetPerson({ definitions, payloads, sql, store }),
    close: () => engine.close(),
  };
}
