import { Aggregates, createPostgresEventStore, type PostgresEventStore } from '@parley/event-store';
import { createLogger, keyring } from '@parley/process-kit';
import {
  createInlineProjector,
  createOwnershipKeeper,
  prepareProjections,
  startReactors,
  startTimers,
} from '@parley/processing';
import { patience } from '@parley/testing';
import { v7 as uuidv7 } from 'uuid';
import type { ActionContext, ActionOutcome } from '../actions/action.ts';
import type { CompiledDefinition } from '../definition/compiled.ts';
import type { PayloadStore } from '../payloads/payload-store.ts';
import { createPostgresPayloads } from '../payloads/postgres-payloads.ts';
import type { RunStart } from '../run/advance/start-run.ts';
import { compiledDefinition, type DefinitionSpec } from '../run/definition.fixture.ts';
import { runsView } from '../views/runs-view.ts';
import type { AutomationStanding, Definitions } from './ports.ts';
import { Retries } from './retries.ts';
import { startEngine } from './start-engine.ts';
import { createRunStarter } from './starter.ts';

export type Act = (input: unknown, context: ActionContext) => Promise<ActionOutcome>;

/** The automations of a test, as all copies see them. */
export class Automations implements Definitions {
  readonly #standings = new Map<number, AutomationStanding>();
  readonly #versions = new Map<string, CompiledDefinition>();
  act: Act = async () => ({ ok: true, output: { done: true } });

  define(automationId: number, accountId: number, spec: DefinitionSpec): void {
    const act: Act = (input, context) => this.act(input, context);
    this.#versions.set(`${automationId}@${spec.version}`, compiledDefinition(automationId, spec, act));
    this.#standings.set(automationId, { accountId, status: 'active', version: spec.version });
  }

  setStatus(automationId: number, status: AutomationStanding['status']): void {
    const standing = this.#standings.get(automationId);
    if (standing) this.#standings.set(automationId, { ...standing, status });
  }

  load(automationId: number, version: number): Promise<CompiledDefinition | undefined> {
    return Promise.resolve(this.#versions.get(`${automationId}@${version}`));
  }

  standing(automationId: number): Promise<AutomationStanding | undefined> {
    return Promise.resolve(this.#standings.get(automationId));
  }
}

export interface Copy {
  readonly store: PostgresEventStore;
  readonly retries: Retries;
  start(automationId: number, eventId: string): Promise<RunStart>;
  close(): Promise<void>;
}

const keys = keyring().parse(undefined);

/** One copy of the engine, as the service starts it. */
export async function startCopy(
  url: string,
  automations: Automations,
  maxConcurrentRuns = 64,
): Promise<Copy> {
  const store = await createPostgresEventStore({
    connectionString: url,
    inlineProjector: createInlineProjector([runsView]),
    timeouts: patience,
  });
  const { pool } = store;
  await prepareProjections(pool, [runsView]);
  const payloads: PayloadStore = createPostgresPayloads(pool, keys);
  const ownership = createOwnershipKeeper(pool);
  const engine = startEngine({
    connections: { resolve: async () => ({ ok: true, value: { kind: 'test', id: 'crm', value: {} } }) },
    definitions: automations,
    logger: createLogger({ service: 'automations', level: 'silent' }),
    maxConcurrentRuns,
    onProblem: () => undefined,
    ownership,
    payloads,
    pool,
    sql: pool,
    store,
  });
  const reactors = startReactors({ store, pool, reactors: engine.reactors, ownership });
  const timers = startTimers({ store, pool, handlers: engine.timers });
  const starter = createRunStarter({ store, definitions: automations, payloads });
  return {
    store,
    retries: new Retries({ aggregates: new Aggregates(store), definitions: automations, store }),
    start: async (automationId, eventId) =>
      starter.start({
        automationId,
        version: (await automations.standing(automationId))?.version ?? 0,
        trigger: { type: 'test', eventId, payload: { eventId, phone: '+491701234567' } },
        chainDepth: 0,
        correlationId: uuidv7(),
      }),
    async close() {
      await timers.close();
      await reactors.close();
      await engine.close();
      await ownership.close();
      await store.close();
    },
  };
}

/** What a caller of the API causes. */
export const causeOfCaller = () => {
  const commandId = uuidv7();
  return {
    metadata: {
      correlationId: commandId,
      causationId: commandId,
      commandId,
      actor: { kind: 'api_key', id: '1' } as const,
    },
    command: { commandId, fingerprint: null },
  };
};
