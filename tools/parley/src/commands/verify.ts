import { setTimeout as sleep } from 'node:timers/promises';
import { getVerification, verifyProjection } from '@parley/contracts';
import type { z } from 'zod';
import { CommandFailed, exitCodes } from '../exit-codes.ts';
import {
  findEveryProjection,
  findProjection,
  fullNameOf,
  type Projection,
  readProjection,
} from '../operator/find-projection.ts';
import { describeRejection, expectOk, type Operator } from '../operator/operator.ts';
import { toJson } from '../output/json.ts';
import { paint } from '../output/paint.ts';
import { type ProgressLine, startProgressLine } from '../output/progress.ts';
import { redact } from '../output/redact.ts';
import { countOf, renderTable } from '../output/table.ts';

type Verification = z.output<typeof getVerification.output>;

const pollMs = 200;

/**
 * Rebuilds projections into a shadow and compares the rows: one projection, or all of all services, which must all
 * answer then. Throws `CommandFailed` after the report: with 1 when any differs, with 3 when none does and some
 * could not be verified.
 */
export async function verify(
  operator: Operator,
  name: string | undefined,
  { json }: { readonly json: boolean },
): Promise<void> {
  const wanted =
    name === undefined ? await findEveryProjection(operator) : [await findProjection(operator, name)];
  const results: { projection: Projection; verification: Verification }[] = [];
  for (const projection of wanted) {
    const verification = await verifyOne(operator, projection);
    results.push({ projection, verification });
    if (!json) process.stdout.write(`${render(projection, verification)}\n`);
  }
  if (json) {
    const report = results.map(({ projection: { service, name }, verification }) => ({
      service,
      projection: name,
      ...verification,
    }));
    process.stdout.write(`${toJson(report, 2)}\n`);
  }
  const complaint = complaintAbout(results.map(({ verification }) => verification));
  if (complaint) throw complaint;
}

/**
 * The failure to end with: a difference is a defect, while a projection that could not be verified may have none.
 * `null` when all are equal.
 */
function complaintAbout(verifications: readonly Verification[]): CommandFailed | null {
  const total = verifications.length;
  const unverified = verifications.filter(({ status }) => status !== 'done').length;
  const differing = verifications.filter(({ differences }) => differences.length > 0).length;
  if (differing > 0) {
    const others = unverified > 0 ? `, and ${unverified} could not be verified` : '';
    return new CommandFailed(`${differing} of ${total} projections differ from their events${others}.`);
  }
  if (unverified === 0) return null;
  return new CommandFailed(
    `${unverified} of ${total} projections could not be verified.`,
    exitCodes.unreachable,
  );
}

/** Verifies one projection. A failure becomes a result, so that the others are verified nevertheless. */
async function verifyOne(operator: Operator, projection: Projection): Promise<Verification> {
  const line = startProgressLine(fullNameOf(projection), process.stderr);
  try {
    return await verifyWith(operator, projection, line);
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    return { status: 'failed', rows: 0, differences: [], error: error.message };
  } finally {
    line.clear();
  }
}

async function verifyWith(
  operator: Operator,
  projection: Projection,
  line: ProgressLine,
): Promise<Verification> {
  const { service, name } = projection;
  const begun = await operator.ask(service, verifyProjection, { projection: name });
  if (begun.kind === 'rejected') throw new CommandFailed(describeRejection(begun.rejection));
  for (;;) {
    const answer = expectOk(await operator.ask(service, getVerification, { projection: name }), service);
    if (answer.status !== 'running')
      return { ...answer, differences: answer.differences.map(withoutSecrets) };
    const { progress, head } = await readProjection(operator, projection);
    line.show({ done: progress ?? 0, total: head });
    await sleep(pollMs);
  }
}

/** Rows are JSON; some views hold hashes of keys. */
function withoutSecrets(
  difference: Verification['differences'][number],
): Verification['differences'][number] {
  const shown = (row: string | null) => row && toJson(redact(JSON.parse(row)));
  return { ...difference, live: shown(difference.live), expected: shown(difference.expected) };
}

function render(projection: Projection, verification: Verification): string {
  const label = fullNameOf(projection);
  if (verification.status !== 'done') {
    return `${paint('red', '✘')} ${label}  could not be verified: ${verification.error ?? verification.status}`;
  }
  const rows = countOf(verification.rows, 'row');
  if (verification.differences.length === 0) return `${paint('green', '✔')} ${label}  ${rows}, no difference`;
  const table = renderTable(
    ['TABLE', 'KEY', 'LIVE', 'EXPECTED'],
    verification.differences.map(({ table, key, live, expected }) => [
      table,
      key,
      live ?? '(missing)',
      expected ?? '(missing)',
    ]),
    process.stdout,
  );
  const count = verification.differences.length;
  return `${paint('red', '✘')} ${label}  ${rows}, ${count >= 100 ? 'at least ' : ''}${count} differ\n${table}`;
}
