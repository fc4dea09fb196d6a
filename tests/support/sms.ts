import { eventually } from '@parley/testing';
import { request } from 'undici';
import { expect } from 'vitest';
import { z } from 'zod';
import { sharedBus } from './accounts.ts';
import type { Api } from './api.ts';
import { fund } from './calls.ts';
import { type Campaign, dataOf, type Lead, listOf, makeCampaign } from './campaigns.ts';
import { freshCustomerNumber } from './chat-platform.ts';
import { sharedStack } from './shared-stack.ts';
import { ownNumber } from './telephony.ts';

/** A running SMS campaign, its leads imported in the order given. */
export async function startSmsCampaign(
  api: Api,
  body: string,
  leads: readonly { readonly phone: string; readonly name: string }[],
): Promise<Campaign> {
  const campaign = await makeCampaign(api, { channel: 'sms', body });
  dataOf(
    await api.call('POST', `/api/user/leads/import?campaign_id=${campaign.id}`, {
      raw: `phone_number,name\n${leads.map(({ phone, name }) => `${phone},${name}`).join('\n')}`,
      headers: { 'content-type': 'text/csv' },
    }),
  );
  const start = { campaign_id: campaign.id, action: 'start' };
  expect((await api.post('/api/user/campaigns/update-status', start)).status).toBe(200);
  return campaign;
}

/** Numbers of leads of the campaign, by status. */
export async function leadsByStatus(api: Api, { id }: Campaign): Promise<Record<string, number>> {
  const { data } = await listOf<Lead>(api, `/api/user/leads?per_page=100&campaign_id=${id}`);
  const counts: Record<string, number> = {};
  for (const { status } of data) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const requestPage = z.object({
  data: z.array(
    z.object({
      operation: z.string(),
      idempotency_key: z.string().nullable(),
      body: z.object({ From: z.string(), To: z.string(), Body: z.string() }).nullable().catch(null),
    }),
  ),
});

interface AskedSms {
  readonly from: string;
  readonly to: string;
  readonly body: string;
  /** Where the carrier is to tell what becomes of it. */
  readonly statusUrl: string;
}

/** The SMS that the carrier was asked to send to these numbers, in order. */
export async function smsTo(
  phones: readonly string[],
  { sandboxUrl }: { readonly sandboxUrl: string } = sharedStack(),
): Promise<readonly AskedSms[]> {
  const answer = await request(`${sandboxUrl}/control/requests?provider=carrier`);
  const { data } = requestPage.parse(await answer.body.json());
  return data.flatMap(({ operation, idempotency_key, body }) =>
    operation === 'send_sms' && body && phones.includes(body.To)
      ? [{ from: body.From, to: body.To, body: body.Body, statusUrl: idempotency_key ?? '' }]
      : [],
  );
}

/** What of one type is on the account's log, oldest first. */
export async function dataOfEvents(api: Api, type: string): Promise<readonly Record<string, unknown>[]> {
  const { body } = await api.get(`/api/user/events?limit=500&types=${type}`);
  return (body as { data: { data: Record<string, unknown> }[] }).data.map(({ data }) => data);
}

/** An SMS that the carrier took. */
export async function ownSms(api: Api): Promise<number> {
  await fund(api, await sharedBus());
  await ownNumber(api);
  await startSmsCampaign(api, 'Hello', [{ phone: freshCustomerNumber(), name: 'Ada' }]);
  return eventually(async () => {
    const [sent] = await dataOfEvents(api, 'SmsSent');
    return z.object({ sms_id: z.int() }).parse(sent).sms_id;
  });
}
