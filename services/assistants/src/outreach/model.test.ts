import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CampaignWorld, type Mood } from './campaign-world.fixture.ts';

// biome-ignore lint/style/noProcessEnv: how thorough a run of the tests is, is its caller's choice.
const isNightly = process.env.PARLEY_TEST_TIER === 'nightly';
const minute = 60_000;
type Command = readonly [name: string, act: (world: CampaignWorld) => Promise<void> | void];

const mostAttempts = 3;
const everyDay = [1, 2, 3, 4, 5, 6, 7];
/** When a campaign may be told to reach out from then on. */
const hours = [
  [],
  [{ days: everyDay, from: '09:00', to: '12:00' }],
  [{ days: everyDay, from: '18:00', to: '02:00' }],
];

const lead = fc.nat(5);
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.nat(2).map((contacts): Command => [`lead with ${contacts}`, (world) => world.addLead(contacts)]),
  fc
    .constantFrom('start' as const, 'start' as const, 'stop' as const)
    .map((action): Command => [action, (world) => world.tell(action)]),
  { weight: 4, arbitrary: fc.constant<Command>(['pace', (world) => world.pace()]) },
  {
    weight: 4,
    arbitrary: fc.boolean().map((dies): Command => [`reach ${dies}`, (world) => world.reach(dies)]),
  },
  { weight: 2, arbitrary: fc.constant<Command>(['wake', (world) => world.wake()]) },
  { weight: 2, arbitrary: fc.constant<Command>(['hear', (world) => world.hear()]) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.nat(9),
        fc.constantFrom('completed' as const, 'no_answer' as const, 'busy' as const, 'failed' as const),
      )
      .map(([index, status]): Command => [`end ${index} ${status}`, (world) => world.end(index, status)]),
  },
  fc.nat(9).map((index): Command => [`put off ${index}`, (world) => world.putOff(index)]),
  {
    weight: 2,
    arbitrary: fc
      .constantFrom<Mood>('ready', 'ready', 'away', 'lost', 'no', 'later', 'broken', 'breaking')
      .map(
        (mood): Command => [
          mood,
          (world) => {
            world.mood = mood;
          },
        ],
      ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(200, 5_000, minute, 61 * minute, 480 * minute).map(
      (ms): Command => [
        `${ms} later`,
        (world) => {
          world.now += ms;
        },
      ],
    ),
  },
  fc
    .constantFrom(...hours)
    .map((windows): Command => [`windows ${JSON.stringify(windows)}`, (world) => world.change({ windows })]),
  fc
    .integer({ min: 1, max: mostAttempts })
    .map(
      (max_attempts): Command => [
        `${max_attempts} attempts`,
        (world) => world.change({ retries: { max_attempts, delay_minutes: 60 } }),
      ],
    ),
  lead.map((id): Command => [`number of ${id}`, (world) => world.changeNumber(id)]),
  lead.map((id): Command => [`reopen ${id}`, (world) => world.reopen(id)]),
  lead.map((id): Command => [`delete ${id}`, (world) => world.delete(id)]),
);

const deletion: Command = ['delete the campaign', (world) => world.deleteCampaign()];
/** A campaign is deleted once, if ever. */
const commandsOf = fc
  .tuple(fc.array(command, { maxLength: 60, size: 'max' }), fc.option(fc.nat(60), { freq: 3 }))
  .map(([commands, deletedAt]) =>
    deletedAt === null ? commands : commands.toSpliced(deletedAt, 0, deletion),
  );

/** Nobody is called late, too often, or twice at once; and a lead's row is what its history comes to. */
async function check(world: CampaignWorld): Promise<void> {
  for (const { isWelcome } of world.calls) expect(isWelcome).toBe(true);
  for (const calls of Map.groupBy(world.calls, ({ phone }) => phone).values()) {
    expect(calls.filter(({ status }) => status !== 'not_placed').length).toBeLessThanOrEqual(mostAttempts);
    expect(calls.filter(({ status }) => status === null).length).toBeLessThanOrEqual(1);
  }
  for (const { id, waitsFrom = null, isInFlight, status } of await world.rows()) {
    const state = await world.lead(id);
    const shown = [state?.next?.dueAt ?? null, state?.attempt !== null, state?.status];
    expect([waitsFrom, isInFlight, status]).toEqual(shown);
  }
}

/** Whether an attempt has failed of which nobody knew for too long what came of it. */
function hasFailedAsUnknown(history: Awaited<ReturnType<CampaignWorld['history']>>): boolean {
  const unknown = history.flatMap(({ type, data }) =>
    type === 'LeadAttemptWithdrawn' && data.is_outcome_unknown ? [data.attempt] : [],
  );
  return history.some(
    ({ type, data }) =>
      type === 'LeadAttemptEnded' && data.outcome === 'failed' && unknown.includes(data.attempt),
  );
}

/**
 * Every call stands in its lead's history; one to a number that the lead had before, or of which nobody knew for too long,
 * may not.
 */
async function checkHistories(world: CampaignWorld): Promise<void> {
  for (const { id, leadId } of world.calls) {
    const history = await world.history(leadId);
    if (history.some(({ type }) => type === 'LeadPhoneNumberChanged' || type === 'LeadDeleted')) continue;
    if (hasFailedAsUnknown(history)) continue;
    const started = history.flatMap(({ type, data }) =>
      type === 'LeadAttemptStarted' ? [data.reference] : [],
    );
    expect(started).toContain(String(id));
  }
}

async function comeToRest(world: CampaignWorld): Promise<void> {
  world.mood = 'ready';
  await world.tell('start');
  for (let round = 0; round < 2_000; round += 1) {
    await world.wake();
    await world.pace();
    await world.reach();
    world.end(0, round % 3 === 0 ? 'completed' : 'no_answer');
    await world.hear();
    world.now += round % 2 === 0 ? 5_000 : 20 * minute;
    await check(world);
    const rows = await world.rows();
    // Nobody waits any more where nothing is done.
    if ((await world.isDeleted()) && rows.every(({ isInFlight }) => !isInFlight)) return;
    if (rows.every(({ status }) => ['completed', 'no_answer', 'failed'].includes(String(status)))) {
      return checkHistories(world);
    }
  }
  throw new Error(`Leads never come to rest: ${JSON.stringify(await world.rows())}`);
}

test(
  'a campaign calls whom it may, when it may, and as often as it may, whatever happens',
  async () => {
    await fc.assert(
      fc.asyncProperty(commandsOf, async (commands) => {
        const world = new CampaignWorld();
        await world.begin();
        await world.addLead(1);
        await world.tell('start');
        for (const [name, act] of commands) {
          try {
            await act(world);
            await check(world);
          } catch (error) {
            throw new Error(`at ${name} of ${commands.map(([each]) => each).join('; ')}`, { cause: error });
          }
        }
        try {
          await comeToRest(world);
        } catch (error) {
          throw new Error(`resting after ${commands.map(([each]) => each).join('; ')}`, { cause: error });
        }
      }),
      { numRuns: isNightly ? 4_000 : 100 },
    );
  },
  isNightly ? 1_800_000 : 300_000,
);
