import {
  Aggregates,
  createInMemoryEventStore,
  type EventStore,
  type InMemoryEventStore,
} from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import type { DueTimer, TimerHandler } from '@parley/processing';
import type { ActionContext, ActionOutcome } from '../actions/action.ts';
import type { CompiledDefinition } from '../definition/compiled.ts';
import type { PayloadStore } from '../payloads/payload-store.ts';
import type { RunStart } from '../run/advance/start-run.ts';
import { compiledDefinition, type DefinitionSpec } from '../run/definition.fixture.ts';
import { Engine } from './engine.ts';
import { fire, metadata, reachStore } from './log-of-process.fixture.ts';
import type { AutomationStanding, Connections, Definitions } from './ports.ts';
import { CrashPoints, Process } from './processes.fixture.ts';
import { Retries } from './retries.ts';
import { RunLog } from './run-log.ts';
import { RunMemories } from './run-memory.ts';
import { runTimerHandlers } from './run-timer-handlers.ts';
import { Slots } from './slots.ts';
import { createRunStarter } from './starter.ts';

const automationId = 7;
const accountId = 3;

/** What a provider was asked. */
export interface Call {
  readonly runId: string;
  readonly path: string;
  readonly effectKey: string;
  readonly causationId: string;
  /** When its step began, ISO 8601. */
  readonly now: string;
  readonly isSuccess: boolean;
}

interface Worker {
  readonly process: Process;
  readonly engine: Engine;
  readonly timers: Readonly<Record<string, TimerHandler>>;
  readonly store: EventStore;
}

/** Several processes on one log, a clock that is moved by hand, and a provider that counts. */
export class World {
  readonly points = new CrashPoints();
  readonly store: InMemoryEventStore;
  readonly payloads = new Map<string, { readonly runId: string; readonly text: string }>();
  readonly calls: Call[] = [];
  readonly versions = new Map<number, CompiledDefinition>();
  readonly #specs = new Map<number, DefinitionSpec>();
  readonly #outcomes: ActionOutcome[] = [];
  readonly #done = new Map<string, ActionOutcome>();
  readonly #shuffle: () => number;
  readonly #places: number;
  #workers: Worker[] = [];
  #names = 0;
  now: number;
  standing: AutomationStanding;
  isConnected = true;
  /** So many of the next appends of timers are written, and nobody is told. */
  lostAnswers = 0;
  /** So many of the next looks for a process do not find it, as where its connection is lost for a moment. */
  missedLooks = 0;
  /** How many processes have died. */
  deaths = 0;
  /** What is asked of the provider waits for it. */
  gate: Promise<void> = Promise.resolve();

  constructor(spec: DefinitionSpec, shuffle: () => number = () => 0, processes = 2, places = 64) {
    this.now = Date.parse('2026-01-01T00:00:00Z');
    this.#shuffle = shuffle;
    this.#places = places;
    this.store = createInMemoryEventStore({ now: () => new Date(this.now) });
    this.standing = { accountId, status: 'active', version: spec.version };
    this.define(spec);
    for (let index = 0; index < processes; index += 1) this.startProcess();
  }

  define(spec: DefinitionSpec): void {
    this.#specs.set(spec.version, spec);
    this.versions.set(spec.version, this.#compile(spec));
    this.standing = { ...this.standing, version: spec.version };
  }

  /** What the next calls come to; success when nothing is left. */
  script(...outcomes: readonly ActionOutcome[]): void {
    this.#outcomes.push(...outcomes);
  }

  startProcess(): void {
    this.#names += 1;
    const process = new Process(`worker-${this.#names}`, this.points, this.#shuffle);
    const store = reachStore(this.store, process);
    const log = new RunLog(store);
    const memories = new RunMemories(this.payloadsFor(process));
    const slots = new Slots(this.#places);
    const workers = {
      self: process.name,
      isAlive: process.reach(async (worker: string) => {
        if (this.missedLooks > 0) {
          this.missedLooks -= 1;
          return false;
        }
        return this.#workers.some((other) => other.process.name === worker && !other.process.isDead);
      }),
    };
    const engine = new Engine({
      connections: this.connectionsFor(process),
      definitions: this.definitionsFor(process),
      log,
      logger: console,
      memories,
      now: () => store.now(),
      slots,
      worker: process.name,
    });
    const timers = runTimerHandlers({ engine, log, memories, slots, workers });
    this.#workers.push({ process, engine, timers, store });
  }

  kill(index: number): void {
    const worker = this.#workers[index % this.#workers.length];
    if (worker) worker.process.isDead = true;
    this.bury();
  }

  /** Dead processes are followed by new ones. */
  bury(): void {
    const dead = this.#workers.filter(({ process }) => process.isDead).length;
    this.deaths += dead;
    this.#workers = this.#workers.filter(({ process }) => !process.isDead);
    for (let index = 0; index < dead; index += 1) this.startProcess();
  }

  get living(): readonly Worker[] {
    return this.#workers.filter(({ process }) => !process.isDead);
  }

  async start(eventId: string, deliveries = 1): Promise<readonly RunStart[]> {
    const starts: RunStart[] = [];
    for (let index = 0; index < deliveries; index += 1) {
      const worker = this.living[index % this.living.length];
      if (!worker) break;
      const { process, store } = worker;
      const [definitions, payloads] = [this.definitionsFor(process), this.payloadsFor(process)];
      const starter = createRunStarter({ store, definitions, payloads });
      const trigger = { type: 'test', eventId, payload: { eventId } };
      const { version } = this.standing;
      const request = { automationId, version, trigger, chainDepth: 0, correlationId: 'test' };
      void starter.start(request).then((start) => starts.push(start));
    }
    await this.drain();
    return starts;
  }

  /** All processes look for work at once. */
  async work(): Promise<void> {
    for (const { engine } of this.living)
      for (const runId of await this.readyRuns()) void engine.claim({ runId, accountId });
    await this.drain();
  }

  /** All processes, or these, find the same timers due, in the order that each is in the mood for. */
  async fireTimers(by = this.living): Promise<void> {
    const due = this.store.timers().filter(({ dueAt }) => Date.parse(dueAt) <= this.now);
    await this.fireAgain(due, by);
  }

  /** Timers that somebody remembers, as every process finds them, in that order. */
  async fireAgain(timers: readonly DueTimer[], by = this.living): Promise<void> {
    for (const { timers: handlers, store } of by)
      for (const timer of timers) void fire(timer, handlers, store, () => this.#isAnswerLost());
    await this.drain();
  }

  #isAnswerLost(): boolean {
    if (this.lostAnswers === 0) return false;
    this.lostAnswers -= 1;
    return true;
  }

  /** `count` requests at once, over all processes. */
  async retry(runId: string, commandIds: readonly string[]): Promise<readonly BusReply[]> {
    const replies: BusReply[] = [];
    for (const [index, commandId] of commandIds.entries()) {
      const worker = this.living[index % this.living.length];
      if (!worker) break;
      const { process, store } = worker;
      const retries = new Retries({
        aggregates: new Aggregates(store),
        definitions: this.definitionsFor(process),
        store,
        timing: { answerAfterMs: 0, waitMs: 0 },
      });
      const command = { commandId, fingerprint: null };
      const cause = { metadata: { ...metadata, commandId }, command };
      void retries.retry(accountId, automationId, runId, cause).then((reply) => replies.push(reply));
    }
    await this.drain();
    return replies;
  }

  /** Until nothing happens any more. */
  async drain(): Promise<void> {
    for (let quiet = 0; quiet < 8; ) {
      const before = this.points.passed;
      await new Promise(setImmediate);
      quiet = this.points.passed === before ? quiet + 1 : 0;
    }
    this.points.arm(null);
    this.bury();
  }

  async runIds(): Promise<string[]> {
    const events = await this.store.readAll({ after: 0, limit: 100_000, types: ['RunStarted'] });
    return events.map(({ streamId }) => streamId.slice('run-'.length));
  }

  async readyRuns(): Promise<string[]> {
    const log = new RunLog(this.store);
    const runs = await Promise.all((await this.runIds()).map((runId) => log.load(runId)));
    return runs.flatMap((loaded) => (loaded?.run.phase === 'ready' ? [loaded.run.runId] : []));
  }

  #compile(spec: DefinitionSpec, process?: Process): CompiledDefinition {
    const act = async (input: unknown, context: ActionContext) => {
      await this.gate;
      return this.#act(input, context);
    };
    return compiledDefinition(automationId, spec, process ? process.reach(act) : act);
  }

  /** The actions are the process's own: it may die before, while and after they take effect. */
  definitionsFor(process: Process): Definitions {
    return {
      load: process.reach(async (_automation: number, version: number) => {
        const spec = this.#specs.get(version);
        return spec && this.#compile(spec, process);
      }),
      standing: process.reach(async () => this.standing),
    };
  }

  connectionsFor(process: Process): Connections {
    return {
      resolve: process.reach(async () =>
        this.isConnected
          ? ({ ok: true, value: { kind: 'test', id: 'crm', value: {} } } as const)
          : ({
              ok: false,
              code: 'CONNECTION_MISSING',
              class: 'missing_connection',
              message: 'Gone.',
            } as const),
      ),
    };
  }

  payloadsFor(process: Process): PayloadStore {
    return {
      keep: process.reach(async ({ runId }, payloads) => {
        for (const { ref, text } of payloads) this.payloads.set(ref, { runId, text });
      }),
      read: process.reach(async (_owner, refs) => refs.map((ref) => this.payloads.get(ref)?.text)),
      discard: process.reach(async (refs) => {
        for (const ref of refs) this.payloads.delete(ref);
      }),
      erase: process.reach(async (runId) => {
        for (const [ref, payload] of this.payloads) if (payload.runId === runId) this.payloads.delete(ref);
      }),
    };
  }

  #act(input: unknown, { causationId, effectKey, now, runId }: ActionContext): ActionOutcome {
    const path = pathOfInput(input);
    // Services of ours keep the effect key: what succeeded once is answered the same again.
    const known = path.startsWith('unkeyed') ? undefined : this.#done.get(effectKey);
    const next = known ?? this.#outcomes.shift();
    const outcome = next ?? { ok: true, output: { step: path, call: this.calls.length } };
    if (outcome.ok) this.#done.set(effectKey, outcome);
    this.calls.push({ runId, path, effectKey, causationId, now, isSuccess: outcome.ok && !known });
    return outcome;
  }
}

const pathOfInput = (input: unknown): string =>
  typeof input === 'object' && input !== null && 'step' in input ? String(input.step) : '';
