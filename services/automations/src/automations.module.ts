import { Module } from '@nestjs/common';
import type { Clock } from '@parley/event-store';
import { BUS_CLIENT, CLOCK, CONFIG, EVENT_STORE, READ_POOL } from '@parley/service-kit';
import { ACTIONS } from './actions/action-modules.ts';
import { AutomationController } from './automation/automation.controller.ts';
import { createDefinitions } from './automation/definitions.ts';
import { ConnectionController } from './connections/connection.controller.ts';
import { DEFINITIONS, type Definitions } from './engine/ports.ts';
import { createActions, createPayloads, createStarter } from './parts.ts';
import { PAYLOADS } from './payloads/payload-store.ts';
import { PrepareTables } from './prepare-tables.ts';
import { ReplayController } from './replay/replay.controller.ts';
import { RUN_STARTER, type RunStarter } from './run/advance/start-run.ts';
import { RunController } from './run/run.controller.ts';
import { TestRunController } from './test-run/test-run.controller.ts';
import { TEST_RUNS, TestRuns } from './test-run/test-runs.ts';
import { WebhookTriggerController } from './triggers/webhook.controller.ts';

@Module({
  controllers: [
    AutomationController,
    ConnectionController,
    ReplayController,
    RunController,
    TestRunController,
    WebhookTriggerController,
  ],
  providers: [
    PrepareTables,
    { provide: ACTIONS, inject: [BUS_CLIENT, CONFIG], useFactory: createActions },
    { provide: DEFINITIONS, inject: [READ_POOL, ACTIONS], useFactory: createDefinitions },
    { provide: PAYLOADS, inject: [READ_POOL, CONFIG], useFactory: createPayloads },
    {
      provide: RUN_STARTER,
      inject: [EVENT_STORE, DEFINITIONS, PAYLOADS],
      useFactory: createStarter,
    },
    {
      provide: TEST_RUNS,
      inject: [CLOCK, DEFINITIONS, RUN_STARTER],
      useFactory: (clock: Clock, definitions: Definitions, starter: RunStarter) =>
        new TestRuns({ clock, definitions, starter }),
    },
  ],
})
export class AutomationsModule {}
