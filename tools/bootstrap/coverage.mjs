import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { resultsDir } from './checkout.mjs';
import { reportFigure } from './figures.mjs';
import { isPure } from './pure-files.mjs';

/** In percent, of all sources of `libs`, `services` and `tools`, loaded by a test or not. `least` is what holds by now. */
const lines = { goal: 90, least: 69 };
const branchesOfPure = { goal: 95, least: 82 };

/** Reports what the last run with `--coverage` covered; answers whether it is enough. */
export function judgeCoverage() {
  const { total, ...files } = readSummary();
  if (!total) return false;
  const pure = Object.entries(files).filter(([file]) => isPure(readFileSync(file, 'utf8')));
  const branches = { covered: 0, total: 0 };
  for (const [, counted] of pure) {
    branches.covered += counted.branches.covered;
    branches.total += counted.branches.total;
  }
  const share = (100 * branches.covered) / branches.total;
  reportFigure(
    'Coverage',
    `lines ${total.lines.pct.toFixed(1)} % of ${Object.keys(files).length} files (${told(lines)}); ` +
      `branches of the ${pure.length} pure ones ${share.toFixed(1)} % (${told(branchesOfPure)})`,
  );
  return total.lines.pct >= lines.least && share >= branchesOfPure.least;
}

const told = ({ goal, least }) => `at least ${least} %, goal ${goal} %`;

/** Nothing when the run ended before it could write it. */
function readSummary() {
  try {
    return JSON.parse(readFileSync(join(resultsDir, 'coverage', 'coverage-summary.json'), 'utf8'));
  } catch {
    return {};
  }
}
