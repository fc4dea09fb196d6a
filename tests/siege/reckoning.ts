import { eventually } from '@parley/testing';
import { request } from 'undici';
import { expect } from 'vitest';
import { z } from 'zod';
import { readRowsOf } from '../support/database.ts';
import { platformTrunks } from '../support/sip-trunks.ts';
import { carrierNumbersOf, recordedNumbers, subscriptionsOf } from '../support/telephony.ts';
import { isAcknowledged, isAllowedRefusal, type Outcome } from './client.ts';
import { commandKinds, markerPattern } from './commands.ts';
import type { SiegeStack } from './resident.ts';

const services = [...new Set(commandKinds.map(({ service }) => service))];
const ofEvent = (outcomes: readonly Outcome[], event: string) =>
  outcomes.filter(({ kind }) => kind.event === event);

/** Every acknowledged command is in the log once; what was refused is not, unless its outcome was unknown then. */
export async function expectOnceInTheLog(stack: SiegeStack, outcomes: readonly Outcome[]): Promise<void> {
  const accounts = new Set(outcomes.map(({ resident }) => resident.accountId));
  const wrong: string[] = [];
  for (const service of services) {
    const kinds = commandKinds.filter((kind) => kind.service === service);
    const events = [...new Set(kinds.map(({ event }) => event))];
    const recorded = await readRowsOf<{ type: string; account_id: number; count: number }>(
      stack.databaseUrl,
      service,
      `select type, account_id::int, count(*)::int as count from es.events
       where type in (${events.map((event) => `'${event}'`).join()}) group by 1, 2`,
    );
    for (const event of events)
      for (const id of accounts) {
        const own = ofEvent(outcomes, event).filter(({ resident }) => resident.accountId === id);
        const least = own.filter(isAcknowledged).length + (preparedEvents[event] ?? 0);
        const most = least + own.filter(isAllowedRefusal).length;
        const { count = 0 } =
          recorded.find(({ type, account_id }) => type === event && account_id === id) ?? {};
        if (count < least || count > most)
          wrong.push(`account ${id}: ${count} ${event} for ${least} to ${most} commands`);
      }
  }
  expect(wrong).toEqual([]);
}

/** What an account had before the siege. */
const preparedEvents: Readonly<Record<string, number>> = {
  FolderCreated: 1,
  AssistantCreated: 2,
  CampaignCreated: 1,
  SipTrunkCreated: 1,
  ApiKeyCreated: 1,
};

export async function expectMarkersOnce(stack: SiegeStack, outcomes: readonly Outcome[]): Promise<void> {
  const seen = new Set<string>();
  const twice: string[] = [];
  for (const service of services) {
    const rows = await readRowsOf<{ type: string; marker: string; count: number }>(
      stack.databaseUrl,
      service,
      `select type, marker, count(*)::int as count
       from (select type, substring(data::text from '${markerPattern}') as marker from es.events) e
       where marker is not null group by 1, 2`,
    );
    for (const { type, marker, count } of rows) {
      seen.add(marker);
      if (count !== 1) twice.push(`${type} ${marker} ${count} times`);
    }
  }
  expect(twice).toEqual([]);
  const lost = outcomes.filter(
    (outcome) => isAcknowledged(outcome) && outcome.kind.isMarked && !seen.has(outcome.marker),
  );
  expect(lost.map(({ kind, marker }) => `${kind.name} ${marker}`)).toEqual([]);
}

/** No message, question, call, trunk, number or subscription twice; and those that were acknowledged, once. */
export async function expectOnceOutside(stack: SiegeStack, outcomes: readonly Outcome[]): Promise<void> {
  const [chat, voice] = await Promise.all([asked(stack, 'chat'), asked(stack, 'voice')]);
  const of = (requests: readonly LoggedRequest[], operation: string) =>
    requests.filter((each) => each.operation === operation && (each.status ?? 200) < 300);
  const effects: Readonly<Record<string, readonly LoggedRequest[]>> = {
    'send-chatapp-template': of(chat, 'send_message'),
    'send-freeform': of(chat, 'send_message'),
    'request-call-permission': of(chat, 'send_permission_request'),
    'make-call': of(voice, 'create_call'),
  };
  const wrong: string[] = [];
  let neverPlaced = 0;
  for (const outcome of outcomes) {
    const { kind, request: made, answer } = outcome;
    const trace = made.trace?.replace('+', '');
    const log = effects[kind.name];
    if (trace === undefined || log === undefined) continue;
    const times = log.filter(({ text }) => text.includes(trace)).length;
    // A call is acknowledged when it is on record; what the platform could not be told ends as not placed.
    if (kind.name === 'make-call' && times === 0) neverPlaced += 1;
    else if (times > 1 || (times === 0 && isAcknowledged(outcome)))
      wrong.push(`${kind.name} ${trace}: ${times} times, answered ${answer.status}`);
  }
  expect(wrong).toEqual([]);
  // A call that nobody placed is closed by its check.
  await eventually(async () => {
    const closed = await readRowsOf(
      stack.databaseUrl,
      'telephony',
      `select distinct stream_id from es.events where type in ('CallNotPlaced', 'CallDropped')`,
    );
    expect(closed.length).toBeGreaterThanOrEqual(neverPlaced);
  }, 90_000);
  await expectTrunksOnce(stack, outcomes);
  await expectNumbersOnce(stack, outcomes);
}

async function expectTrunksOnce(stack: SiegeStack, outcomes: readonly Outcome[]): Promise<void> {
  for (const { request: made } of outcomes.filter(
    (each) => isAcknowledged(each) && each.kind.name === 'create-sip-trunk',
  )) {
    const phone_number = made.trace ?? '';
    // What an interrupted creation left behind is removed by its check, 45 s later.
    await eventually(async () => {
      const { inbound, outbound } = await platformTrunks(stack.sandboxUrl, { phone_number });
      expect([phone_number, inbound.length, outbound.length]).toEqual([phone_number, 1, 1]);
    }, 90_000);
  }
}

/** One subscription and one number at the carrier for each number of the account, and nothing beside. */
async function expectNumbersOnce(stack: SiegeStack, outcomes: readonly Outcome[]): Promise<void> {
  const residents = new Set(outcomes.map(({ resident }) => resident));
  for (const { accountId } of residents) {
    const recorded = await recordedNumbers(accountId, stack);
    const owned = recorded.filter(({ events }) => events.includes('NumberPurchased'));
    for (const { purchase_id, events } of recorded) {
      const atCarrier = await carrierNumbersOf(purchase_id, stack);
      expect([purchase_id, events, atCarrier.length]).toEqual([
        purchase_id,
        events,
        events.includes('NumberPurchased') ? 1 : 0,
      ]);
    }
    const customer = recorded.find(({ customer_id }) => customer_id !== null)?.customer_id;
    if (!customer) continue;
    const paid = (await subscriptionsOf(customer, stack)).filter(({ status }) => status === 'active');
    expect(paid.map(({ metadata }) => metadata.purchase_id).toSorted()).toEqual(
      owned.map(({ purchase_id }) => purchase_id).toSorted(),
    );
  }
}

/** No hold is paid twice, whatever it was for. */
export async function expectPaidOnce(stack: SiegeStack): Promise<void> {
  const twice = await readRowsOf(
    stack.databaseUrl,
    'accounts',
    `select data ->> 'hold_id' as hold, count(*)::int from es.events where type = 'BalanceCaptured'
     group by 1 having count(*) > 1`,
  );
  expect(twice).toEqual([]);
}

interface LoggedRequest {
  readonly operation: string;
  readonly status: number | null;
  /** Its body as JSON. */
  readonly text: string;
}
const logPage = z.object({
  data: z.array(
    z.object({ id: z.int(), operation: z.string(), status: z.int().nullable(), body: z.unknown() }),
  ),
});

async function asked({ sandboxUrl }: SiegeStack, provider: string): Promise<readonly LoggedRequest[]> {
  const { body } = await request(`${sandboxUrl}/control/requests?provider=${provider}`);
  const { data } = logPage.parse(await body.json());
  return data.map(({ operation, status, body }) => ({ operation, status, text: JSON.stringify(body) }));
}
