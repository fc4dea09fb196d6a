import { once } from 'node:events';
import { askAll } from '../operator/ask-all.ts';
import { readHead, readLog } from '../operator/event-log.ts';
import { mergeByTime } from '../operator/merge-by-time.ts';
import type { Operator } from '../operator/operator.ts';
import { startProgressLine } from '../output/progress.ts';
import { redactFields } from '../output/redact.ts';

/**
 * An account's events out of all services, one JSON object a line, merged by time, ids and positions as they are. What
 * is secret is left out. The progress goes to stderr.
 */
export async function exportAccount(operator: Operator, accountId: number): Promise<void> {
  const filter = { streamId: undefined, types: [], accountId };
  const heads = await askAll((service) => readHead(operator, service));
  const total = heads.reduce((sum, { value: head }) => sum + head, 0);
  const logs = heads.map(({ service, value: head }) => readLog(operator, service, filter, 0, head));
  const progress = startProgressLine(`account ${accountId}`, process.stderr);
  const reached = new Map<string, number>();
  let count = 0;
  for await (const event of mergeByTime(logs)) {
    const line = `${JSON.stringify({ ...event, data: redactFields(event.data) })}\n`;
    if (!process.stdout.write(line)) await once(process.stdout, 'drain');
    reached.set(event.service, event.position);
    count += 1;
    // How far each log was looked through: of most events it is only known that they are others'.
    if (count % 100 === 0) progress.show({ done: sum(reached.values()), total });
  }
  progress.clear();
  process.stderr.write(`${count} events of account ${accountId}\n`);
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, each) => total + each, 0);
