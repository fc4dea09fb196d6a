import { createHash } from 'node:crypto';
import { askEvery } from '../operator/ask-all.ts';
import { readLog } from '../operator/event-log.ts';
import { mergeByTime } from '../operator/merge-by-time.ts';
import { expectAccount, type Operator } from '../operator/operator.ts';
import { startProgressLine } from '../output/progress.ts';
import { writeOut } from '../output/write-out.ts';
import { readAllBelongings } from '../transfer/belongings.ts';
import { withoutSecrets } from '../transfer/lines.ts';

/**
 * An account's events out of all services, one JSON object a line, merged by time, ids and times as they are, without
 * secrets; then what `parley import` needs beside them, as it was when the last of these events was there. An account that
 * is not there ends it with 1; a service that does not answer ends it with 3, and the end that vouches for the rest is not
 * written. The progress goes to stderr.
 */
export async function exportAccount(operator: Operator, accountId: number): Promise<void> {
  const filter = { streamId: undefined, types: [], accountId };
  const belongings = await askEvery((service) => readAllBelongings(operator, service, accountId));
  await expectAccount(operator, accountId);
  const total = sum(belongings.map(({ value: { head } }) => head));
  const logs = belongings.map(({ service, value: { head } }) => readLog(operator, service, filter, 0, head));
  const progress = startProgressLine(`account ${accountId}`, process.stderr);
  const reached = new Map<string, number>();
  const hash = createHash('sha256');
  const print = async (line: object) => {
    const text = `${JSON.stringify(line)}\n`;
    hash.update(text);
    await writeOut(text);
  };
  let count = 0;
  for await (const { position, metadata, ...event } of mergeByTime(logs)) {
    const { imported: _, ...known } = metadata;
    await print({ ...event, data: withoutSecrets(event.type, event.data), metadata: known });
    reached.set(event.service, position);
    count += 1;
    // How far each log was looked through: of most events it is only known that they are others'.
    if (count % 100 === 0) progress.show({ done: sum(reached.values()), total });
  }
  for (const { service, value } of belongings) {
    for (const name of value.names) await print({ service, name });
    await print({ service, next_ids: value.nextIds });
  }
  await print({ end: { account_id: accountId, events: count, sha256: hash.copy().digest('hex') } });
  progress.clear();
  process.stderr.write(`${count} events of account ${accountId}\n`);
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, each) => total + each, 0);
