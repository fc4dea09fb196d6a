import { Module } from '@nestjs/common';
import { BUS_CLIENT, CONFIG, EVENT_STORE, READ_POOL } from '@parley/service-kit';
import { ACTIONS } from './actions/action-modules.ts';
import { AutomationController } from './automation/automation.controller.ts';
import { createDefinitions } from './automation/definitions.ts';
import { ConnectionController } from './connections/connection.controller.ts';
import { DEFINITIONS } from './engine/ports.ts';
import { createActions, createPayloads, createStarter } from './parts.ts';
import { PAYLOADS } from './payloads/payload-store.ts';
import { PrepareTables } from './prepare-tables.ts';
import { ReplayController } from './replay/replay.controller.ts';
import { RunController } from './run/run.controller.ts';
import { RUN_STARTER } from './run/start-run.ts';
import { TestRunController } from './test-run/test-run.controller.ts';
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
  ],
})
export class AutomationsModule {}
