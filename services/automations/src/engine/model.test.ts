import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ActionOutcome } from '../actions/action.ts';
import type { DefinitionSpec, StepSpec } from '../run/definition.fixture.ts';
import { checkInvariants } from './invariants.fixture.ts';
import { type LoadedRun, RunLog } from './run-log.ts';
import { World } from './world.fixture.ts';

// biome-ignore lint/style/noProcessEnv: how thorough a run of the tests is, is its caller's choice.
const isNightly = process.env.PARLEY_TEST_TIER === 'nightly';
const hour = 3_600_000;
const day = 24 * hour;

/** Ids say what a step is, and are unique in the tree. */
const action = fc.record({
  kind: fc.constant('action' as const),
  effect: fc.constantFrom('pure', 'local', 'keyed', 'unkeyed'),
  attempts: fc.integer({ min: 1, max: 3 }),
  onUnknown: fc.constantFrom('fail', 'repeat'),
  isBroken: fc.oneof(
    { weight: 8, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  usesConnection: fc.boolean(),
});
/** The second is the night in which everything begins. */
const window = fc.constantFrom(
  { days: [1, 2, 3, 4, 5], from: '09:00', to: '18:00' },
  { days: [4], from: '01:00', to: '02:00' },
);
const delay = fc.record(
  { kind: fc.constant('delay' as const), for: fc.constantFrom('PT0S', 'PT1H', 'P2D'), window },
  { requiredKeys: ['kind', 'for'] },
);
const stop = fc.constant({ kind: 'stop' as const });
const leaf = fc.oneof(
  { weight: 6, arbitrary: action },
  { weight: 2, arbitrary: delay },
  { weight: 1, arbitrary: stop },
);
const branch = fc.record({
  kind: fc.constant('branch' as const),
  takes: fc.constantFrom(0 as const, 0 as const, 1 as const, 1 as const, 2 as const),
  steps: fc.array(leaf, { maxLength: 2 }),
  otherwise: fc.array(leaf, { maxLength: 2 }),
});
type Nameless = { readonly kind: string };

function named(steps: readonly Nameless[], prefix = ''): StepSpec[] {
  return steps.map((step, index) => {
    const kind = 'effect' in step ? String(step.effect) : step.kind;
    const id = `${kind}${prefix}${index}`;
    if (!('otherwise' in step) || !('steps' in step)) return { ...step, id } as StepSpec;
    const inner = step as unknown as { steps: Nameless[]; otherwise: Nameless[] };
    return {
      ...step,
      id,
      steps: named(inner.steps, `${index}y`),
      otherwise: named(inner.otherwise, `${index}n`),
    } as StepSpec;
  });
}

const steps = fc
  .array(fc.oneof({ weight: 4, arbitrary: leaf }, { weight: 1, arbitrary: branch }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((list) => named(list));
const settings = fc.record({
  onDeactivate: fc.constantFrom('finish' as const, 'stop' as const),
  retry: fc.record({
    afterDelay: fc.constantFrom('allow' as const, 'allow' as const, 'refuse' as const),
    maxAgeMs: fc.constantFrom(day, 30 * day),
    useRepairedVersion: fc.boolean(),
  }),
});

const outcome: fc.Arbitrary<ActionOutcome> = fc.constantFrom(
  { ok: true, output: { done: true } },
  { ok: true, output: { done: true } },
  failure({ transient: true }),
  failure({ transient: true, retryAfterSeconds: 60 }),
  failure({ transient: false }),
);

function failure(about: { transient: boolean; retryAfterSeconds?: number }): ActionOutcome {
  return { ok: false, code: 'SEND_FAILED', class: 'wiring_error', message: 'No.', definite: true, ...about };
}

interface Model {
  retries: number;
}
type Command = fc.AsyncCommand<Model, World>;

const does = (name: string, act: (world: World, model: Model) => Promise<void>): Command => ({
  check: () => true,
  async run(model, world) {
    await act(world, model);
    await checkInvariants(world);
  },
  toString: () => name,
});

/** Where in what it does a process dies; mostly nowhere. */
const crash = fc.oneof(
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 40 }) },
);
const after = (points: number | null) => (points === null ? '' : ` dying at point ${points}`);

const commands = [
  fc
    .tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 1, max: 4 }), crash)
    .map(([event, times, points]) =>
      does(`event ${event} is told ${times} times${after(points)}`, async (world) => {
        world.points.arm(points);
        await world.start(`event-${event}`, times);
      }),
    ),
  crash.map((points) =>
    does(`work${after(points)}`, async (world) => {
      world.points.arm(points);
      await world.work();
    }),
  ),
  fc.tuple(fc.constantFrom(2_000, 5_001, 65_000, hour, 2 * day, 31 * day), crash).map(([ms, points]) =>
    does(`${ms} ms later, timers fire${after(points)}`, async (world) => {
      world.now += ms;
      world.points.arm(points);
      await world.fireTimers();
    }),
  ),
  fc.integer({ min: 1, max: 3 }).map((count) =>
    does(`the answers to ${count} appends of timers are lost`, async (world) => {
      world.lostAnswers = count;
    }),
  ),
  fc.tuple(fc.nat(2), fc.integer({ min: 1, max: 4 }), crash).map(([index, count, points]) =>
    does(`run ${index} is retried ${count} times at once${after(points)}`, async (world, model) => {
      await retryRun(world, model, index, count, points);
    }),
  ),
  fc
    .array(outcome, { maxLength: 4 })
    .map((outcomes) =>
      does(`next: ${outcomes.map(({ ok }) => ok).join()}`, async (world) => world.script(...outcomes)),
    ),
  fc.boolean().map((isConnected) =>
    does(`connected: ${isConnected}`, async (world) => {
      world.isConnected = isConnected;
    }),
  ),
  fc.tuple(steps, fc.boolean()).map(([edited, isRepair]) =>
    does(isRepair ? 'the automation is repaired' : 'the automation is edited', async (world) => {
      const version = world.standing.version + 1;
      world.define({ version, steps: isRepair ? repaired(world) : edited });
    }),
  ),
  fc
    .oneof(
      { weight: 1, arbitrary: fc.constantFrom('deleted' as const, 'inactive' as const) },
      { weight: 5, arbitrary: fc.constant('active' as const) },
    )
    .map((status) =>
      does(`the automation is ${status}`, async (world) => {
        if (world.standing.status !== 'deleted') world.standing = { ...world.standing, status };
      }),
    ),
  fc.nat(1).map((index) => does(`process ${index} is killed`, async (world) => world.kill(index))),
];

const specs = new WeakMap<World, readonly StepSpec[]>();
const mend = (step: StepSpec): StepSpec =>
  step.kind === 'branch'
    ? { ...step, steps: step.steps.map(mend), otherwise: step.otherwise.map(mend) }
    : step.kind === 'action'
      ? { ...step, isBroken: false }
      : step;
const repaired = (world: World): readonly StepSpec[] => (specs.get(world) ?? []).map(mend);

/** 9, 10: one answer for every state; of those that come together one is accepted at most. */
async function retryRun(world: World, model: Model, index: number, count: number, points: number | null) {
  const runId = (await world.runIds())[index];
  if (runId === undefined) return;
  const log = new RunLog(world.store);
  const before = await log.load(runId);
  const isDeleted = world.standing.status === 'deleted';
  const wasOpen = await isRetryOpen(world, before);
  world.points.arm(points);
  const ids = Array.from({ length: count }, (_, request) => uuid(model.retries + request));
  model.retries += count;
  const replies = await world.retry(runId, ids);
  const now = await log.load(runId);
  const accepted = (now?.run.epoch ?? 0) - (before?.run.epoch ?? 0);
  expect(accepted).toBeLessThanOrEqual(1);
  const codes = replies.map((reply) => (reply.kind === 'ok' ? 'ok' : reply.rejection.code));
  expect(codes.filter((code) => code === 'ok').length).toBeLessThanOrEqual(accepted);
  const refused = codes.filter((code) => code !== 'ok');
  const known = isDeleted ? ['not_found'] : ['retry_failed', 'retry_no_op'];
  for (const code of refused) expect(known).toContain(code);
  if (accepted === 1)
    expect(new Set(refused).size === 0 || refused.every((code) => code === 'retry_failed')).toBe(true);
  if (accepted === 0) {
    expect(now?.version).toBe(before?.version);
    // 9: for now while it is under way, for good otherwise.
    const isUnderWay = before?.run.status === 'RUNNING' || wasOpen;
    if (points === null && !isDeleted)
      expect(refused.every((code) => (code === 'retry_failed') === isUnderWay)).toBe(true);
  }
  if (points === null) expect(replies).toHaveLength(count);
}

/** Whoever accepted it died before it was answered: for a while nobody can tell that from being under way. */
async function isRetryOpen({ store }: World, loaded: LoadedRun | undefined): Promise<boolean> {
  const id = loaded?.run.acceptedRetry;
  const command = typeof id === 'string' ? await store.findCommand(id) : undefined;
  return command !== undefined && command.reply === null && command.ageMs < 5_000;
}

const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** 13: when nobody dies any more, nothing is left undone, and nothing waits but for time. */
async function comeToRest(world: World): Promise<void> {
  const log = new RunLog(world.store);
  for (let round = 0; round < 60; round += 1) {
    await world.work();
    world.now += 20 * 60_000;
    await world.fireTimers();
    const runs = await Promise.all((await world.runIds()).map((runId) => log.load(runId)));
    if (runs.every((loaded) => loaded && ['ended', 'paused'].includes(loaded.run.phase))) return;
  }
  throw new Error('Some runs never come to rest.');
}

/** 16: a process's own clock is asked for nothing. */
test(
  'the invariants hold whatever happens, and wherever a process dies',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        settings,
        fc.array(fc.nat(2), { minLength: 1, maxLength: 20 }),
        fc.commands(commands, { maxCommands: 30, size: 'max' }),
        async (list, about, turns, happenings) => {
          let turn = 0;
          const shuffle = () => {
            turn += 1;
            return turns[turn % turns.length] ?? 0;
          };
          const spec: DefinitionSpec = {
            version: 1,
            steps: list,
            settings: about,
          };
          const world = new World(spec, shuffle);
          specs.set(world, list);
          await fc.asyncModelRun(() => ({ model: { retries: 0 }, real: world }), happenings);
          await comeToRest(world);
          await checkInvariants(world);
        },
      ),
      { numRuns: isNightly ? 20_000 : 500 },
    );
  },
  isNightly ? 1_800_000 : 300_000,
);
