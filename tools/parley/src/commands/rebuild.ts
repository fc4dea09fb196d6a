import { setTimeout as sleep } from 'node:timers/promises';
import { rebuildProjection } from '@parley/contracts';
import { CommandFailed } from '../exit-codes.ts';
import { findProjection, fullNameOf, type Projection, readProjection } from '../operator/find-projection.ts';
import { expectOk, type Operator } from '../operator/operator.ts';
import { firstLine } from '../output/json.ts';
import { startProgressLine } from '../output/progress.ts';
import { countOf } from '../output/table.ts';
import { formatDuration } from '../output/time.ts';

const pollMs = 200;

/** Builds a projection anew beside the live one and swaps them; the API stays up. Waits for the end. */
export async function rebuild(
  operator: Operator,
  name: string,
  { json }: { readonly json: boolean },
): Promise<void> {
  const projection = await findProjection(operator, name);
  const { service } = projection;
  const label = fullNameOf(projection);
  const startedAt = performance.now();
  expectOk(await operator.ask(service, rebuildProjection, { projection: projection.name }), label);
  const line = startProgressLine(label, process.stderr);
  let current = await readProjection(operator, projection);
  while (current.status === 'rebuilding') {
    line.show({ done: current.progress ?? 0, total: current.head });
    await sleep(pollMs);
    current = await readProjection(operator, projection);
  }
  line.clear();
  if (current.status === 'failed')
    throw new CommandFailed(`${label}: the rebuild failed; the live one was kept. ${reasonOf(current)}`);
  const elapsedMs = performance.now() - startedAt;
  const events = current.head;
  const summary = `${label}  rebuilt from ${countOf(events, 'event')} in ${formatDuration(elapsedMs)}`;
  process.stdout.write(
    `${json ? JSON.stringify({ service, projection: projection.name, events, elapsed_ms: Math.round(elapsedMs) }) : summary}\n`,
  );
}

const reasonOf = ({ error }: Projection): string =>
  error ? firstLine(error) : 'The log of its service may say why.';
