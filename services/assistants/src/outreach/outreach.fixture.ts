import {
  createAssistant,
  createCampaign,
  createLead,
  getVerification,
  listCampaigns,
  listLeads,
  type OperationDefinition,
  updateCampaignStatus,
  verifyProjection,
} from '@parley/contracts';
import type { BusReply, MessageContext } from '@parley/message-bus';
import { eventually, type ServiceCopies } from '@parley/testing';
import { expect, test } from 'vitest';
import { leadsTable } from '../views/leads/leads-view.ts';
import { paceTimerId } from './pacing/pace-timer.ts';

let accounts = 500;
let numbers = 3000;
export const phone = () => `+1415555${++numbers}`;

/** A fresh account per test. */
export function asAccount(copies: ServiceCopies) {
  accounts += 1;
  const accountId = accounts;
  const send = (operation: OperationDefinition, payload: object, context: Partial<MessageContext> = {}) =>
    copies.send(operation, payload, { accountId, actor: { kind: 'api_key', id: '41' }, ...context });
  return Object.assign(send, { accountId });
}
export type Send = ReturnType<typeof asAccount>;

export const dataOf = (reply: BusReply) => {
  if (reply.kind === 'rejected') throw new Error(JSON.stringify(reply.rejection));
  return JSON.parse(reply.body).data;
};

export const chatapp = {
  channel: 'chatapp',
  sender_id: 7,
  template_id: 8,
  variable_mapping: { '1': 'name' },
};
export const campaignOf = async (send: Send, settings: object = chatapp): Promise<number> =>
  dataOf(await send(createCampaign, { name: 'Spring', ...settings })).id;
/** A new outbound assistant of the account. */
export const callerOf = async (send: Send): Promise<number> =>
  dataOf(
    await send(createAssistant, {
      name: 'Caller',
      type: 'outbound',
      mode: 'pipeline',
      voice_id: 1,
      language_id: 1,
      llm_model_id: 1,
      timezone: 'UTC',
      initial_message: 'Hello',
      system_prompt: 'Be kind.',
    }),
  ).id;
export const callCampaignOf = async (send: Send, settings: object = {}): Promise<number> =>
  campaignOf(send, { channel: 'call', assistant_id: await callerOf(send), ...settings });
export const leadOf = async (send: Send, campaign_id: number, more: object = {}) =>
  dataOf(await send(createLead, { campaign_id, phone_number: phone(), ...more }));
export const tell = async (send: Send, campaign_id: number, action: 'start' | 'stop') =>
  dataOf(await send(updateCampaignStatus, { campaign_id, action }));
export const statuses = async (send: Send): Promise<string[]> =>
  dataOf(await send(listLeads, { per_page: 100 })).map(({ status }: { status: string }) => status);

/** Until the account's one lead waits for its next attempt. */
export const untilWaiting = (copies: ServiceCopies, send: Send) =>
  eventually(async () => {
    const { rows } = await copies.pool.query(
      `select is_in_flight, waits_from is not null as waits from ${leadsTable} where account_id = $1`,
      [send.accountId],
    );
    expect(rows).toEqual([{ is_in_flight: false, waits: true }]);
  });

/** What holds the account's newest campaign up, as their list shows it. */
export const heldUpOf = async (send: Send) =>
  dataOf(await send(listCampaigns, { page: 1, per_page: 1 }))[0].held_up;

/** Until the campaign looks again in a quarter of an hour. */
export const untilLater = (copies: ServiceCopies, campaignId: number) =>
  eventually(async () => {
    const { rows } = await copies.pool.query(
      `select due_at > es.now() + interval '14 minutes' as is_later from es.timers where id = $1`,
      [paceTimerId(campaignId)],
    );
    expect(rows).toEqual([{ is_later: true }]);
  });

/** Moves the clock of the platform ahead. */
export async function pass({ pool }: ServiceCopies, seconds: number): Promise<void> {
  await pool.query('update es.clock set seconds_ahead = seconds_ahead + $1', [seconds]);
  await pool.query(`select pg_notify('es_timers', '')`);
}

/** The last tests of a file, which leaves more rows than that. */
export const rebuildsAreTheSame = (copiesOf: () => ServiceCopies, moreThan = 2) =>
  test.each(['campaigns', 'leads'])(
    'a rebuild of %s gives the rows that all this has led to',
    async (projection) => {
      const copies = copiesOf();
      await eventually(() => copies.ask(verifyProjection, { projection }));
      await eventually(async () => {
        const { status, differences, rows } = await copies.ask(getVerification, { projection });
        expect({ status, differences }).toEqual({ status: 'done', differences: [] });
        expect(rows).toBeGreaterThan(moreThan);
      });
    },
  );
