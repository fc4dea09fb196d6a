import { checkImport, serviceNames } from '@parley/contracts';
import { CommandFailed } from '../exit-codes.ts';
import { readHead, readLog } from '../operator/event-log.ts';
import { mergeByTime } from '../operator/merge-by-time.ts';
import { expectOk, type Operator } from '../operator/operator.ts';
import type { ServicePart } from './check-lines.ts';
import type { ExportedEvent } from './lines.ts';
import type { Spool } from './spool.ts';

/** One service's events of all accounts of a file, by time. */
export const eventsOf = (spool: Spool, service: string): AsyncGenerator<ExportedEvent> =>
  mergeByTime([...spool.accounts.keys()].map((account) => spool.read(account, service)));

const streamsAtOnce = 1_000;
const refused = (why: string): CommandFailed => new CommandFailed(`${why} Nothing was imported.`);

/**
 * Throws when this installation cannot take the file: an account or stream of it is here already (unless it is from an
 * import of the same file that was cut off), there are newer events, the file has some of the future, or ids were given
 * out that the file has, too. An import that was cut off at its end, when what stands had begun to go on, may have led to
 * newer events.
 */
export async function checkInstallation(operator: Operator, spool: Spool): Promise<void> {
  const present = new Map<string, Present>();
  for (const service of serviceNames) {
    const parts = [...spool.accounts.values()].flatMap((services) => services.get(service) ?? []);
    present.set(service, await checkService(operator, service, [...spool.accounts.keys()], parts));
  }
  const isUnfinished = [...present.values()].some(({ unfinished }) => unfinished.length > 0);
  for (const [service, found] of present) await checkPrefix(operator, spool, service, found, isUnfinished);
}

interface Present {
  readonly hasEvents: boolean;
  readonly newestAt: string | null;
  readonly unfinished: readonly number[];
}

async function checkService(
  operator: Operator,
  service: string,
  accounts: number[],
  parts: readonly ServicePart[],
): Promise<Present> {
  const streams = new Map(parts.flatMap((part) => [...part.streams].map(([id]) => [id, part.accountId])));
  const ids = [...streams.keys()];
  let present: Present = { hasEvents: false, newestAt: null, unfinished: [] };
  for (let from = 0; from === 0 || from < ids.length; from += streamsAtOnce) {
    const input = { account_ids: accounts, stream_ids: ids.slice(from, from + streamsAtOnce) };
    const found = expectOk(await operator.ask(service, checkImport, input), service);
    const foreign = found.streams.find(({ stream_id, account_id }) => streams.get(stream_id) !== account_id);
    if (foreign) throw refused(`${foreign.stream_id} belongs to another account here.`);
    if (from === 0) {
      checkIds(service, parts, found.next_ids);
      checkTimes(service, parts, found.now);
    }
    present = { hasEvents: found.has_events, newestAt: found.newest_at, unfinished: found.unfinished };
  }
  return present;
}

/**
 * Throws when the service has given out ids itself and the file has newer ones: processes keep blocks of ids that
 * they took before, and those must not be among the imported ones.
 */
function checkIds(service: string, parts: readonly ServicePart[], here: Record<string, number>): void {
  for (const { nextIds } of parts)
    for (const [sequence, next] of Object.entries(nextIds)) {
      const known = here[sequence] ?? 1;
      if (known > 1 && known < next)
        throw refused(
          `${service} has given out ids itself (${sequence}): import before anything is created.`,
        );
    }
}

/**
 * Throws when the file has events of the future: no event of a log is earlier than the one before, so time would
 * stand still there until then.
 */
function checkTimes(service: string, parts: readonly ServicePart[], now: string | undefined): void {
  const last = parts
    .flatMap(({ lastAt }) => lastAt ?? [])
    .sort()
    .at(-1);
  if (now === undefined || last === undefined || last <= now) return;
  throw refused(
    `${service} has events of ${last} in the file, and here it is ${now}: wait, or move the clock (the sandbox's ` +
      '/control/clock/advance).',
  );
}

/** What is here of the accounts must be how the file begins: then the rest follows. */
async function checkPrefix(
  operator: Operator,
  spool: Spool,
  service: string,
  { hasEvents, newestAt }: Present,
  isUnfinished: boolean,
): Promise<void> {
  const wanted = eventsOf(spool, service);
  if (hasEvents) {
    const head = await readHead(operator, service);
    const accounts = [...spool.accounts.keys()];
    const logs = accounts.map((accountId) =>
      readLog(operator, service, { streamId: undefined, types: [], accountId }, 0, head),
    );
    for await (const here of mergeByTime(logs)) {
      const { done, value } = await wanted.next();
      if (done && isUnfinished) break;
      if (value?.event_id !== here.event_id)
        throw refused(`Account ${here.account_id} is here already, with events of its own.`);
    }
  }
  const { value: next } = await wanted.next();
  if (next && newestAt !== null && next.recorded_at < newestAt)
    throw refused(`${service} has newer events than the file: import into a fresh installation.`);
  await wanted.return(undefined);
}
