import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { erasePerson, forgetErased, getErasure, recordErasure, serviceNames } from '@parley/contracts';
import type { z } from 'zod';
import { CommandFailed, exitCodes } from '../exit-codes.ts';
import { askEvery } from '../operator/ask-all.ts';
import { expectAccount, expectOk, type Operator } from '../operator/operator.ts';
import { startStepLine } from '../output/step-line.ts';
import { countOf } from '../output/table.ts';

type Erasure = z.output<typeof getErasure.output> & { readonly service: string };

export interface Person {
  readonly account: number;
  /** E.164 */
  readonly subject: string;
}

const pollMs = 200;

/**
 * Erases a person from every service, which all have to be there; waits for the end. Again with the same person it goes
 * over everything again. Keys that were destroyed are on the account's log also when something is left or failed: then it
 * throws `CommandFailed` after the report, with 1, or with 3 when a service failed or did not answer any more.
 */
export async function erase(
  operator: Operator,
  { account, subject }: Person,
  { json }: { readonly json: boolean },
): Promise<void> {
  await expectAccount(operator, account);
  const erasureId = randomUUID();
  const input = { erasure_id: erasureId, account_id: account, phone_number: subject };
  // One that does not answer ends the command before anything was erased.
  await askEvery(async (service) =>
    expectOk(await operator.ask(service, getErasure, { erasure_id: erasureId }), service),
  );
  let isOneAway = false;
  const erasures = await Promise.all(
    serviceNames.map(async (service): Promise<Erasure> => {
      try {
        expectOk(await operator.ask(service, erasePerson, input), service);
        return await waitFor(operator, service, erasureId, json);
      } catch (error) {
        // The others erase all the same, and what they have destroyed is to be told.
        if (!(error instanceof CommandFailed)) throw error;
        if (error.exitCode === exitCodes.unreachable) isOneAway = true;
        return { service, status: 'failed', step: '', subject_ids: [], leftovers: [], error: error.message };
      }
    }),
  );
  const subjectIds = erasures.flatMap(({ subject_ids }) => subject_ids);
  const incomplete = erasures.filter((erasure) => !isComplete(erasure));
  try {
    // Before the report, whose reader may be gone or its disk full. Until then services tell of these keys again.
    if (subjectIds.length > 0 || incomplete.length === 0) {
      const record = { erasure_id: erasureId, account_id: account, subject_ids: subjectIds };
      expectOk(await operator.tell(recordErasure, record, erasureId), 'accounts');
      await Promise.all(
        erasures
          .filter(({ subject_ids }) => subject_ids.length > 0)
          .map(async ({ service }) =>
            expectOk(await operator.ask(service, forgetErased, { erasure_id: erasureId }), service),
          ),
      );
    }
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    const message = `${error.message} What was destroyed may not be on the account's log yet: erase again.`;
    throw new CommandFailed(message, error.exitCode, { cause: error });
  } finally {
    const services = erasures.map(({ step: _, ...rest }) => rest);
    const report = { erasure_id: erasureId, account, services };
    process.stdout.write(`${json ? JSON.stringify(report, null, 2) : erasures.map(render).join('\n')}\n`);
  }
  if (incomplete.length > 0) {
    throw new CommandFailed(
      `The person is not gone from ${incomplete.map(({ service }) => service).join(', ')}. Erase again once the cause is removed.`,
      isOneAway ? exitCodes.unreachable : exitCodes.negative,
    );
  }
  if (subjectIds.length === 0)
    process.stderr.write(
      `Nobody was on record under ${subject}: look whether it is the right number, unless they were erased before.\n`,
    );
}

async function waitFor(
  operator: Operator,
  service: string,
  erasureId: string,
  json: boolean,
): Promise<Erasure> {
  const line = json ? undefined : startStepLine(service, process.stderr);
  for (;;) {
    const erasure = expectOk(await operator.ask(service, getErasure, { erasure_id: erasureId }), service);
    if (erasure.status !== 'running') return { service, ...erasure };
    line?.show(erasure.step);
    await sleep(pollMs);
  }
}

const isComplete = ({ status, leftovers }: Erasure): boolean => status === 'done' && leftovers.length === 0;

function render(erasure: Erasure): string {
  const { service, status, subject_ids, leftovers, error } = erasure;
  if (status !== 'done') return `✘ ${service}  ${error ?? status}`;
  const keys = `${countOf(subject_ids.length, 'key')} destroyed`;
  if (leftovers.length === 0) return `✔ ${service}  ${keys}, nothing left`;
  const where = leftovers.map(({ table, rows }) => `${table} (${countOf(rows, 'row')})`);
  return `✘ ${service}  ${keys}, the number is still in ${where.join(', ')}`;
}
