import { replayRun } from '@parley/contracts';
import type { z } from 'zod';
import { CommandFailed } from '../exit-codes.ts';
import { expectOk, type Operator } from '../operator/operator.ts';
import { toJson } from '../output/json.ts';
import { paint } from '../output/paint.ts';
import { redact } from '../output/redact.ts';
import { differences, inline } from '../output/value.ts';

export interface ReplayOptions {
  readonly definition: 'pinned' | 'current' | 'newest';
  readonly json: boolean;
}

type Report = z.output<typeof replayRun.output>;
type Step = Report['steps'][number];

/**
 * Goes through a run again without effects, on the version it follows or on the current one, and shows what differs. Throws
 * `CommandFailed` (1) after the report when anything does.
 */
export async function printReplay(operator: Operator, id: string, options: ReplayOptions): Promise<void> {
  const run_id = id.replace(/^run\//, '');
  const definition = options.definition === 'pinned' ? 'pinned' : 'newest';
  const answer = await operator.ask(replayRun.service, replayRun, { run_id, definition });
  const report = expectOk(answer, `run/${run_id}`);
  const text = options.json ? toJson(redact(report), 2) : render(report);
  process.stdout.write(`${text}\n`);
  const count = report.steps.filter(({ differs }) => differs.length > 0).length;
  if (count > 0) throw new CommandFailed(`${count} of ${report.steps.length} steps differ.`);
}

function render({ run_id, automation_id, version, recorded_status, replayed_status, steps }: Report): string {
  const head = [paint('bold', `run/${run_id}`), `automation/${automation_id}`, `version ${version}`];
  const statuses = `${recorded_status}, replayed: ${replayed_status}`;
  return [[...head, statuses].join('  '), ...steps.flatMap(renderStep)].join('\n');
}

function renderStep({ path, recorded, replayed, output, differs }: Step): string[] {
  const about = [replayed?.status ?? recorded?.status ?? '-'];
  if (output === 'dry_run') about.push('output of a dry run');
  if (differs.length > 0) about.push(paint('red', differs.join(', ')));
  const changes = recorded && replayed ? differences(redact(recorded), redact(replayed)) : [];
  return [
    `  ${path}  ${about.join('  ')}`,
    ...changes.map(
      ({ path: field, before, after }) =>
        `    ${field}  ${paint('red', inline(before))} -> ${paint('green', inline(after))}`,
    ),
  ];
}
