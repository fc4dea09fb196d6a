import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@parley/testing';
import { type HttpOperation, type HttpStart, measure } from '../http/contender.ts';
import { cpuProfile, selfTimes } from './self-times.ts';

export interface ProfileOptions {
  readonly dir: string;
  readonly durationMs: number;
  readonly connections: readonly number[];
}

const warmUpMs = 2_000;
const shown = 15;

/**
 * Loads the platform with each operation while all of its Node processes record CPU profiles: a folder of them for each
 * operation and number of connections, and the functions that took most of the time as text.
 */
export async function profileGroup(start: HttpStart, options: ProfileOptions): Promise<string> {
  const { dir, durationMs } = options;
  await mkdir(dir, { recursive: true });
  const { operations, stop } = await start({
    PARLEY_PROFILE_DIR: dir,
    PARLEY_BUNDLES: 'false',
    NODE_OPTIONS: `--import=${new URL('recorder.js', import.meta.url)}`,
  });
  try {
    const parts: string[] = [];
    for (const operation of operations)
      for (const connections of options.connections)
        parts.push(await profileOperation(operation, connections, dir, durationMs));
    return parts.join('\n\n');
  } finally {
    await stop();
  }
}

async function profileOperation(
  { name, contenders }: HttpOperation,
  connections: number,
  dir: string,
  durationMs: number,
): Promise<string> {
  const parley = contenders.get('parley');
  if (!parley) throw new Error(`${name} is not asked of the platform.`);
  await measure(parley, connections, warmUpMs);
  const count = parley.processes.filter(({ name }) => name !== 'postgres' && name !== 'nats').length;
  const record = join(dir, 'record');
  await writeFile(record, '');
  await untilThere(dir, count, (file) => file.startsWith('recording-'));
  const { requestsPerSecond } = await measure(parley, connections, durationMs);
  await rm(record);
  const files = await untilThere(dir, count, (file) => file.endsWith('.cpuprofile'));
  const folder = join(dir, `${name.replaceAll(/[^a-zA-Z]+/g, '-')}-${connections}`);
  await mkdir(folder, { recursive: true });
  const requests = (requestsPerSecond * durationMs) / 1_000;
  const texts = await Promise.all(files.map((file) => summarise(dir, folder, file, requests)));
  return [
    `## ${name}, ${connections} connection${connections === 1 ? '' : 's'}`,
    ...texts.sort(byTime).map(({ text }) => text),
  ].join('\n\n');
}

/** As many such files as there are processes. */
const untilThere = (dir: string, count: number, isWanted: (file: string) => boolean): Promise<string[]> =>
  eventually(async () => {
    const found = (await readdir(dir)).filter(isWanted);
    if (found.length < count) throw new Error(`${found.length} of ${count} processes have written a file.`);
    return found;
  }, 60_000);

interface Summary {
  readonly totalMs: number;
  readonly text: string;
}

const byTime = (a: Summary, b: Summary): number => b.totalMs - a.totalMs;

/** Moves a profile to its folder and says where its time went. */
async function summarise(dir: string, folder: string, file: string, requests: number): Promise<Summary> {
  const [name = file] = file.split(/-\d/);
  const target = join(folder, `${name}.cpuprofile`);
  await rename(join(dir, file), target);
  const times = selfTimes(cpuProfile.parse(JSON.parse(await readFile(target, 'utf8'))));
  const totalMs = times.reduce((sum, { ms }) => sum + ms, 0);
  const perRequest = (ms: number) => ((ms * 1_000) / requests).toFixed(1);
  const text = [
    `${name}: ${perRequest(totalMs)} µs a request (${target})`,
    ...times
      .slice(0, shown)
      .map(
        ({ where, ms }) =>
          `${perRequest(ms).padStart(9)} µs ${((100 * ms) / totalMs).toFixed(1).padStart(5)} %  ${where}`,
      ),
  ].join('\n');
  return { totalMs, text };
}
