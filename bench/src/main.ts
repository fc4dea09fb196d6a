import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Group, type GroupSettings, groups } from './groups.ts';
import { profileGroup } from './profile/profile.ts';
import { thisMachine } from './report/machine.ts';
import { renderSection } from './report/page.ts';
import type { GroupResult, Results } from './report/results-file.ts';
import { saveResults } from './report/save.ts';

/**
 * `npm run bench`: every group side by side with its peers, in interleaved rounds, printed as tables. `--write` keeps the
 * results in docs/benchmarks.json and makes docs/benchmarks.md and its plots of it; `--only` names the groups to run
 * (`--only folders,send`); `--seconds` is the length of a run (3); `--quick` is one short round to see that everything
 * runs. `--profile` measures nothing: it loads the platform with the operations of the groups and writes a CPU profile of
 * each of its processes into `--profile-dir` (bench-profiles).
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    only: { type: 'string' },
    seconds: { type: 'string', default: '3' },
    profile: { type: 'boolean', default: false },
    'profile-dir': { type: 'string', default: 'bench-profiles' },
  },
});

const names = values.only?.split(',') ?? Object.keys(groups);
const settings: GroupSettings = {
  isQuick: values.quick,
  rounds: values.quick ? 1 : 5,
  durationMs: values.quick ? 1_000 : Number(values.seconds) * 1_000,
};

function groupNamed(name: string): Group {
  const group = groups[name];
  if (!group) throw new Error(`There is no group ${name}; there are ${Object.keys(groups).join(', ')}.`);
  return group;
}

/** A group that fails ends neither the others nor loses what was measured before. */
async function measureGroups(): Promise<void> {
  const measured: Results = {};
  const failures: unknown[] = [];
  for (const [name, group] of names.map((name) => [name, groupNamed(name)] as const)) {
    try {
      measured[name] = await measureGroup(name, group);
      if (values.write) await saveResults(measured, Object.keys(groups));
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
  for (const name of names) {
    const { http } = groupNamed(name);
    if (!http) continue;
    const dir = resolve(values['profile-dir'], name);
    const { durationMs } = settings;
    process.stdout.write(`${await profileGroup(http, { dir, durationMs, connections: [64, 1] })}\n\n`);
  }
}

await (values.profile ? profileGroups() : measureGroups());
