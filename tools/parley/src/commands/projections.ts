import { expectAll } from '../operator/ask-all.ts';
import { findProjections, type Projection } from '../operator/find-projection.ts';
import type { Operator } from '../operator/operator.ts';
import { renderTable } from '../output/table.ts';

/** Every projection with how far behind its log it is; throws `CommandFailed` (3) in the end where a service did not answer. */
export async function printProjections(
  operator: Operator,
  { json }: { readonly json: boolean },
): Promise<void> {
  const answers = await findProjections(operator);
  const projections = answers
    .flatMap(({ value }) => value)
    .map((projection) => ({ ...projection, lag: projection.head - projection.position }));
  process.stdout.write(`${json ? JSON.stringify(projections, null, 2) : tableOf(projections)}\n`);
  expectAll(answers);
}

function tableOf(projections: readonly (Projection & { readonly lag: number })[]): string {
  const rows = projections.map(({ service, name, version, position, lag, status }) => [
    service,
    name,
    `v${version}`,
    position,
    lag,
    status,
  ]);
  const headers = ['SERVICE', 'PROJECTION', 'VERSION', 'POSITION', 'LAG', 'STATUS'];
  return renderTable(headers, rows, process.stdout);
}
