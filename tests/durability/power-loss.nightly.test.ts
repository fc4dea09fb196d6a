import { randomUUID } from 'node:crypto';
import { cp, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectBusClient } from '@parley/message-bus';
import { eventually, listDescendants, type RunningStack, startStack } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerTestAccount, type TestAccount } from '../support/accounts.ts';
import { createApi } from '../support/api.ts';
import { createAutomation, mapFlow } from '../support/automations.ts';
import { readRowsOf } from '../support/database.ts';
import { quantile, reportFigure } from '../support/figures.ts';
import { ReadmeSubscriber } from '../support/readme-subscriber.ts';
import { runParley } from '../support/run-parley.ts';
import { randomNumbers, seed } from '../support/tier.ts';
import { createVolume, type Volume, whyNoVolume } from '../support/volume.ts';

const losses = Number(process.env.PARLEY_POWER_LOSSES ?? 6);
/** At the last one JetStream is found as it was so long before. */
const rolledBackMs = 120_000;
const clientsOfEach = 6;
const diskMb = 6_144;

const obstacle = await whyNoVolume();

let volume: Volume;
let stack: RunningStack;
let subscriber: ReadmeSubscriber | undefined;

const start = () => startStack({ home: volume.folder });

beforeAll(async () => {
  if (obstacle) return;
  volume = await createVolume(diskMb);
  stack = await start();
  subscriber = new ReadmeSubscriber(stack.natsUrl, 'power-loss');
  await subscriber.start();
});

afterAll(async () => {
  await subscriber?.remove();
  await stack?.stop();
  await volume?.remove();
});

const canaryFile = (name: string) => join(volume.folder, `canary-${name}`);

/** A file of which the disk knows at once, or not yet. */
async function leaveCanary(name: string, isFlushed: boolean): Promise<void> {
  const file = await open(canaryFile(name), 'w');
  await file.write(name);
  if (isFlushed) await file.sync();
  await file.close();
}

const isThere = (name: string): Promise<boolean> =>
  readFile(canaryFile(name), 'utf8').then(
    (text) => text === name,
    () => false,
  );

interface Acknowledged {
  readonly folders: string[];
  /** Ids of the requests that started a run. */
  readonly runs: string[];
}

/**
 * Everything stands still, the disk is kept as it is, everything is killed, and the disk is what was kept. Resolves with
 * what had been acknowledged when everything stood still, to the last answer: a moment later also what is only on its
 * way to the disk would be there.
 */
async function losePower(round: number, acknowledged: Acknowledged): Promise<Acknowledged> {
  const pids = [stack.supervisorPid, ...(await listDescendants(stack.supervisorPid))];
  await leaveCanary(`flushed-${round}`, true);
  await leaveCanary(`unflushed-${round}`, false);
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  // What was answered is read.
  await sleep(100);
  const promised = { folders: [...acknowledged.folders], runs: [...acknowledged.runs] };
  await volume.keepDisk();
  await stack.killTree();
  await volume.returnToKept();
  return promised;
}

/** Creates folders and starts runs until it is told that it is over; resolves when the last answer is there. */
function keepWriting(
  { key }: TestAccount,
  webhookUrl: string,
  acknowledged: Acknowledged,
  isOver: () => boolean,
): Promise<unknown> {
  const repeat = async (work: () => Promise<boolean>) => {
    while (!isOver()) if (!(await work().catch(() => false))) await sleep(50);
  };
  const createFolder = async () => {
    const name = randomUUID();
    const { status } = await createApi(stack.baseUrl, key).post('/api/user/folder', { name });
    if (status === 201) acknowledged.folders.push(name);
    return status === 201;
  };
  const startRun = async () => {
    const id = randomUUID();
    const { status } = await createApi(webhookUrl).post('', { id }, { 'webhook-id': id });
    if (status === 200) acknowledged.runs.push(id);
    return status === 200;
  };
  const clients = Array.from({ length: clientsOfEach }, () => [repeat(createFolder), repeat(startRun)]);
  return Promise.all(clients.flat());
}

/** What is in the log more or less than once. */
async function notOnce(service: string, query: string, expected: readonly string[]): Promise<string[]> {
  const rows = await readRowsOf<{ id: string; times: number }>(stack.databaseUrl, service, query);
  const times = new Map(rows.map((row) => [row.id, row.times]));
  return expected.filter((id) => times.get(id) !== 1);
}

const lostFolders = ({ id }: TestAccount, names: readonly string[]) =>
  notOnce(
    'assistants',
    `select data->>'name' as id, count(*)::int as times from es.events
     where account_id = ${id} and type = 'FolderCreated' group by 1`,
    names,
  );

/** Runs that did not start, or not end well: their payloads must be there too. */
const lostRuns = ({ id }: TestAccount, ids: readonly string[]) =>
  notOnce(
    'automations',
    `select substr(started.data #>> '{trigger,event_id}', 9) as id, count(*)::int as times
     from es.events started join es.events ended using (stream_id)
     where started.account_id = ${id} and started.type = 'RunStarted' and ended.type = 'RunSucceeded' group by 1`,
    ids,
  );

/** Events that the subscriber did not see, and those that it saw and that are not in the log. */
async function subscriberDiffers(): Promise<string[]> {
  const rows = await readRowsOf<{ event_id: string }>(
    stack.databaseUrl,
    'assistants',
    'select event_id from es.events order by position',
  );
  const seen = new Set(subscriber?.events.map(({ event_id }) => event_id));
  return [...seen.symmetricDifference(new Set(rows.map(({ event_id }) => event_id)))];
}

test.skipIf(obstacle)(
  `A8: a disk that has only what was flushed to it, ${losses} times under load, has all that was acknowledged (seed ${seed})`,
  async () => {
    const random = randomNumbers();
    const bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
    const account = await registerTestAccount(bus);
    await bus.close();
    const { webhook_url } = await createAutomation(createApi(stack.baseUrl, account.key), mapFlow());
    const webhookPath = new URL(webhook_url ?? '').pathname;
    const acknowledged: Acknowledged = { folders: [], runs: [] };
    const starts: number[] = [];
    const earlier = join(volume.folder, '..', 'earlier-nats');
    for (let round = 1; round <= losses; round += 1) {
      let isOver = false;
      const target = acknowledged.folders.length + 100;
      const writing = keepWriting(account, `${stack.baseUrl}${webhookPath}`, acknowledged, () => isOver);
      await eventually(() => expect(acknowledged.folders.length).toBeGreaterThan(target), 60_000);
      if (round === losses) {
        const pid = await stack.signal('nats', 'SIGSTOP');
        await cp(join(volume.folder, 'nats'), earlier, { recursive: true });
        process.kill(pid, 'SIGCONT');
        await sleep(rolledBackMs);
      }
      await sleep(random() * 5_000);
      const promised = await losePower(round, acknowledged);
      isOver = true;
      await writing;
      expect([await isThere(`flushed-${round}`), await isThere(`unflushed-${round}`)]).toEqual([true, false]);
      if (round === losses) {
        await rm(join(volume.folder, 'nats'), { recursive: true });
        await cp(earlier, join(volume.folder, 'nats'), { recursive: true });
      }
      stack = await start();
      starts.push(stack.readyAfterMs);
      expect(await lostFolders(account, promised.folders)).toEqual([]);
      await eventually(async () => expect(await lostRuns(account, promised.runs)).toEqual([]), 60_000, 250);
      await eventually(async () => expect(await subscriberDiffers()).toEqual([]), 60_000, 250);
      // What was acknowledged later, and heard of only then, may be there or not.
      Object.assign(acknowledged, promised);
    }
    const verification = await runParley(['verify'], { PARLEY_HOME: volume.folder });
    reportFigure(
      'A8',
      [
        `${losses} losses of power, the last with JetStream ${rolledBackMs / 1_000} s older`,
        `${acknowledged.folders.length} folders and ${acknowledged.runs.length} runs acknowledged before: 0 lost, 0 twice`,
        'a subscriber outside has seen each, and none that is not there',
        `ready again after ${quantile(starts, 0.5).toFixed(0)} ms (p50), ${quantile(starts, 1).toFixed(0)} ms at most`,
        `verify ends with ${verification.code}; seed ${seed}`,
      ].join('; '),
    );
    expect(verification.code, verification.stdout).toBe(0);
  },
);

test.runIf(obstacle)('A8 needs a file system on a disk of its own', () => {
  reportFigure('A8', `not run: ${obstacle}`);
});
