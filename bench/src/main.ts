import { parseArgs } from 'node:util';
import { type GroupSettings, groups } from './groups.ts';
import { thisMachine } from './report/machine.ts';
import { renderSection } from './report/page.ts';
import type { Results } from './report/results-file.ts';
import { saveResults } from './report/save.ts';

/**
 * `npm run bench`: every group side by side with its peers, in interleaved rounds, printed as tables. `--write` keeps the
 * results in docs/benchmarks.json and makes docs/benchmarks.md and its plots of it; `--only` names the groups to run
 * (`--only folders,send`); `--seconds` is the length of a run (3); `--quick` is one short round to see that everything
 * runs.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    only: { type: 'string' },
    seconds: { type: 'string', default: '3' },
  },
});

const names = values.only?.split(',') ?? Object.keys(groups);
const settings: GroupSettings = {
  isQuick: values.quick,
  rounds: values.quick ? 1 : 5,
  durationMs: values.quick ? 1_000 : Number(values.seconds) * 1_000,
};

const measured: Results = {};
for (const name of names) {
  const group = groups[name];
  if (!group) throw new Error(`There is no group ${name}; there are ${Object.keys(groups).join(', ')}.`);
  const startedAt = performance.now();
  const section = await group.run(settings);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  process.stdout.write(`${renderSection(section)}\n\n(${name}: ${seconds} s)\n\n`);
  measured[name] = {
    measuredAt: new Date().toISOString(),
    machine: thisMachine(),
    rounds: settings.rounds,
    secondsPerRun: settings.durationMs / 1_000,
    section,
  };
  // After each, so that a later one that fails costs none of those before.
  if (values.write) await saveResults(measured, Object.keys(groups));
}
