import { findProjections } from '../operator/find-projection.ts';
import type { Operator } from '../operator/operator.ts';
import { renderTable } from '../output/table.ts';

/** Every projection with how far behind its log it is. */
export async function printProjections(
  operator: Operator,
  { json }: { readonly json: boolean },
): Promise<void> {
  const projections = (await findProjections(operator)).map((projection) => ({
    ...projection,
    lag: projection.head - projection.position,
  }));
  if (json) {
    process.stdout.write(`${JSON.stringify(projections, null, 2)}\n`);
    return;
  }
  const rows = projections.map(({ service, name, version, position, lag, status }) => [
    service,
    name,
    `v${version}`,
    position,
    lag,
    status,
  ]);
  const headers = ['SERVICE', 'PROJECTION', 'VERSION', 'POSITION', 'LAG', 'STATUS'];
  process.stdout.write(`${renderTable(headers, rows, process.stdout)}\n`);
}
