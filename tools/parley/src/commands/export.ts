import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { getState, readBelongings } from '@parley/contracts';
import type { z } from 'zod';
import { askEvery } from '../operator/ask-all.ts';
import { readHead, readLog } from '../operator/event-log.ts';
import { mergeByTime } from '../operator/merge-by-time.ts';
import { expectOk, type Operator } from '../operator/operator.ts';
import { startProgressLine } from '../output/progress.ts';
import { withoutSecrets } from '../transfer/lines.ts';

/**
 * An account's events out of all services, one JSON object a line, merged by time, ids and times as they are, without
 * secrets; then what `parley import` needs beside them. An account that is not there ends it with 1; a service that does
 * not answer ends it with 3, and the end that
 * vouches for the rest is not written. The progress goes to stderr.
 */
export async function exportAccount(operator: Operator, accountId: number): Promise<void> {
  const filter = { streamId: undefined, types: [], accountId };
  const heads = await askEvery((service) => readHead(operator, service));
  expectOk(
    await operator.ask('accounts', getState, { resource: `account/${accountId}`, at: {} }),
    `account ${accountId}`,
  );
  const total = heads.reduce((sum, { value: head }) => sum + head, 0);
  const logs = heads.map(({ service, value: head }) => readLog(operator, service, filter, 0, head));
  const progress = startProgressLine(`account ${accountId}`, process.stderr);
  const reached = new Map<string, number>();
  const hash = createHash('sha256');
  const print = async (line: object) => {
    const text = `${JSON.stringify(line)}\n`;
    hash.update(text);
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
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
  for (const { service } of heads)
    for await (const line of belongings(operator, service, accountId)) await print(line);
  await print({ end: { account_id: accountId, events: count, sha256: hash.copy().digest('hex') } });
  progress.clear();
  process.stderr.write(`${count} events of account ${accountId}\n`);
}

const pageSize = 1000;
type After = z.input<typeof readBelongings.input>['after'];
type Belongings = z.output<typeof readBelongings.output>;
type HeldName = Belongings['names'][number];

async function* belongings(operator: Operator, service: string, accountId: number): AsyncGenerator<object> {
  let after: After = null;
  const all: Belongings['names'] = [];
  for (;;) {
    const input: z.input<typeof readBelongings.input> = { account_id: accountId, after, limit: pageSize };
    const {
      names,
      next_ids,
      after: last,
    }: Belongings = expectOk(await operator.ask(service, readBelongings, input), service);
    all.push(...names);
    if (!last || names.length < pageSize) {
      // The same order wherever it is exported from.
      for (const name of all.sort(byScopeAndKey)) yield { service, name };
      yield { service, next_ids };
      return;
    }
    after = { scope: last.scope, key: last.key };
  }
}

const byScopeAndKey = (a: HeldName, b: HeldName): number =>
  a.scope === b.scope ? compare(a.key, b.key) : compare(a.scope, b.scope);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, each) => total + each, 0);
