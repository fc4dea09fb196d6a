import { resolve } from 'node:path';
import { type Group, type GroupSettings, groups } from './groups.ts';
import { readOptions } from './options.ts';
import { profileGroup } from './profile/profile.ts';
import { thisMachine } from './report/machine.ts';
import { renderSection } from './report/page.ts';
import type { GroupResult, Results } from './report/results-file.ts';
import { saveResults } from './report/save.ts';

/** `npm run bench`; what it takes is in `options.ts`. */
const options = readOptions(Object.keys(groups), process.argv.slice(2));
const wanted = Object.entries(groups).filter(([name]) => options.only.includes(name));
const settings: GroupSettings = {
  isQuick: options.quick,
  rounds: options.quick ? 1 : 5,
  durationMs: options.quick ? 1_000 : options.seconds * 1_000,
};

/** A group that fails ends neither the others nor loses what was measured before. */
async function measureGroups(): Promise<void> {
  const measured: Results = {};
  const failures: unknown[] = [];
  for (const [name, group] of wanted) {
    try {
      measured[name] = await measureGroup(name, group);
      if (options.write) await saveResults(measured, Object.keys(groups));
    } catch (error) {
      failures.push(new Error(`The group ${name} failed.`, { cause: error }));
    }
  }
  if (failures.length > 0) throw new AggregateError(failures);
}

async function measureGroup(name: string, group: Group): Promise<GroupResult> {
  const startedAt = performance.now();
  const section = await group.run(settings);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  process.stdout.write(`${renderSection(section)}\n\n(${name}: ${seconds} s)\n\n`);
  return {
    measuredAt: new Date().toISOString(),
    machine: thisMachine(),
    rounds: settings.rounds,
    secondsPerRun: settings.durationMs / 1_000,
    section,
  };
}

async function profileGroups(): Promise<void> {
  for (const [name, { http }] of wanted) {
    if (!http) continue;
    const dir = resolve(options.profileDir, name);
    const { durationMs } = settings;
    process.stdout.write(`${await profileGroup(http, { dir, durationMs, connections: [64, 1] })}\n\n`);
  }
}

await (options.profile ? profileGroups() : measureGroups());
