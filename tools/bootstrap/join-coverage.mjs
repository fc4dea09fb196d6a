// Adds to Vitest's coverage (`coverage-final.json` of the first folder) what processes of the build have run, told by
// V8 in the second one, and writes the reports. Needs what is installed, so it is started, not imported.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCoverageMap } from '@vitest/istanbul-lib-coverage';
import { create, createContext } from '@vitest/istanbul-lib-report';
import { addHits } from './add-hits.mjs';
import { coverageOfProcesses } from './coverage-of-processes.mjs';

const [reportDir, processesDir] = process.argv.slice(2);
const file = join(reportDir, 'coverage-final.json');
if (!existsSync(file)) {
  console.error('The tests ended before what they covered was written.');
  process.exit(1);
}
const coverage = JSON.parse(readFileSync(file, 'utf8'));
const { processes, sources } = await coverageOfProcesses(processesDir);
const places = { matched: 0, all: 0 };
for (const [source, ran] of Object.entries(sources)) {
  if (coverage[source]) addHits(coverage[source], ran, places);
}
console.log(
  `${processes} processes; ${places.matched} of ${places.all} places in the build are known in the sources.`,
);
const context = createContext({ dir: reportDir, coverageMap: createCoverageMap(coverage) });
for (const report of ['json', 'json-summary', 'html']) create(report).execute(context);
