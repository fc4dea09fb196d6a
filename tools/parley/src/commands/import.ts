import { setTimeout as sleep } from 'node:timers/promises';
import { importEvents, serviceNames, setStanding } from '@parley/contracts';
import { findEveryProjection } from '../operator/find-projection.ts';
import { expectOk, type Operator } from '../operator/operator.ts';
import { startProgressLine } from '../output/progress.ts';
import { countOf } from '../output/table.ts';
import { checkInstallation, eventsOf } from '../transfer/check-installation.ts';
import type { ServicePart } from '../transfer/check-lines.ts';
import { type ExportedEvent, withPlaceholders } from '../transfer/lines.ts';
import { type Spool, spoolExport } from '../transfer/spool.ts';

/** JSON characters of events in one message, well below what a message of the bus holds. */
const maxCharacters = 256 * 1024;
const maxEvents = 500;

/**
 * Imports accounts from the output of `parley export`. Everything is checked before anything is written. A command
 * that was cut off goes on where it was when it is repeated.
 */
export async function importAccounts(
  operator: Operator,
  input: NodeJS.ReadableStream,
  { json }: { readonly json: boolean },
): Promise<void> {
  const reading = startProgressLine('checking', process.stderr);
  let lines = 0;
  const spool = await spoolExport(input, () => {
    lines += 1;
    if (lines % 1_000 === 0) reading.show({ done: lines, total: lines });
  });
  reading.clear();
  try {
    await checkInstallation(operator, spool);
    const outcome = await importAll(operator, spool);
    const accounts = [...spool.accounts.keys()];
    const { imported, present } = outcome;
    process.stdout.write(
      json
        ? `${JSON.stringify({ accounts, imported, present })}\n`
        : `${countOf(imported, 'event')} of account ${accounts.join(', ')} imported${present > 0 ? `, ${present} were here already` : ''}\n`,
    );
  } finally {
    await spool.close();
  }
}

/**
 * Imports events, names and ids, service by service. When all views show them, each service sets going what was
 * under way: earlier, a campaign would find neither its sender nor its leads. Returns how many events were
 * imported, and how many were here already.
 */
export async function importAll(
  operator: Operator,
  spool: Spool,
): Promise<{ imported: number; present: number }> {
  const parts = [...spool.accounts.values()].flatMap((services) => [...services.values()]);
  const total = parts.reduce((sum, { events }) => sum + events, 0);
  const progress = startProgressLine('importing', process.stderr);
  const outcome = { imported: 0, present: 0 };
  for (const service of serviceNames) {
    for await (const events of chunksOf(eventsOf(spool, service))) {
      const written = await operator.ask(service, importEvents, {
        ...{ events, names: { account_id: 0, held: [] }, next_ids: {} },
      });
      const { imported, present } = expectOk(written, service);
      outcome.imported += imported;
      outcome.present += present;
      progress.show({ done: outcome.imported + outcome.present, total });
    }
    await importBelongings(operator, spool, service);
  }
  while (await areViewsBehind(operator)) await sleep(lookAgainMs);
  // Campaigns begin to work at once, so their service comes late: when it does, a command that is cut off has little
  // left to do.
  for (const service of serviceNames.toReversed())
    for (const account_id of spool.accounts.keys())
      expectOk(await operator.ask(service, setStanding, { account_id }, standingMs), service);
  progress.clear();
  return outcome;
}

const lookAgainMs = 100;
/**
 * How long to wait for one service, in milliseconds: it looks through everything it has of the account (3.6 s were
 * measured for 50,000 calls).
 */
const standingMs = 30 * 60_000;

/** Whether a projection is still behind its log. Failed ones do not count: an operator has to see to those. */
const areViewsBehind = async (operator: Operator): Promise<boolean> =>
  (await findEveryProjection(operator)).some(
    ({ status, position, head }) => status !== 'failed' && position < head,
  );

/**
 * Imports the claimed names, after the streams that own them, and the next ids. Each message carries the ids of all
 * accounts, so that an import that was cut off can go on.
 */
async function importBelongings(operator: Operator, spool: Spool, service: string): Promise<void> {
  const nextIds = newestIds([...spool.accounts.values()].flatMap((services) => services.get(service) ?? []));
  for (const [account_id, services] of spool.accounts) {
    const part = services.get(service);
    if (!part) continue;
    for (let from = 0; from === 0 || from < part.names.length; from += maxEvents) {
      const held = part.names.slice(from, from + maxEvents);
      const input = { events: [], names: { account_id, held }, next_ids: nextIds };
      expectOk(await operator.ask(service, importEvents, input), service);
    }
  }
}

function newestIds(parts: readonly Pick<ServicePart, 'nextIds'>[]): Record<string, number> {
  const newest: Record<string, number> = {};
  for (const { nextIds } of parts)
    for (const [sequence, next] of Object.entries(nextIds))
      newest[sequence] = Math.max(next, newest[sequence] ?? 0);
  return newest;
}

async function* chunksOf(events: AsyncIterable<ExportedEvent>): AsyncGenerator<ExportedEvent[]> {
  let chunk: ExportedEvent[] = [];
  let characters = 0;
  for await (const event of events) {
    const whole = { ...event, data: withPlaceholders(event) };
    const size = JSON.stringify(whole).length;
    if (chunk.length > 0 && (chunk.length === maxEvents || characters + size > maxCharacters)) {
      yield chunk;
      chunk = [];
      characters = 0;
    }
    chunk.push(whole);
    characters += size;
  }
  if (chunk.length > 0) yield chunk;
}
