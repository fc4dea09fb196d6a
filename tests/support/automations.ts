import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { listAutomationRuns } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { expect } from 'vitest';
import type { z } from 'zod';
import { type Answer, type Api, createApi } from './api.ts';
import { comingBack } from './coming-back.ts';

type RunsAnswer = z.output<typeof listAutomationRuns.success.schema>;
export type RunSummary = Extract<RunsAnswer, { runs: unknown }>['runs'][number];
export type RunDetail = Extract<RunsAnswer, { run: unknown }>['run'];

export interface CreatedAutomation {
  readonly automation_id: string;
  readonly status: string;
  readonly webhook_url: string | null;
}

/** A definition with one step that only maps values, and so does nothing outside. */
export const mapFlow = (input: object = { a: 1 }) => ({
  trigger: { type: 'webhook.inbound' },
  steps: [{ id: 'map', type: 'data.map', input }],
});

/** Table of runs in the database of the automations service. */
export const runsTable = 'view_runs_v3.runs';

export async function createAutomation(
  api: Api,
  flow: object,
  more: object = {},
): Promise<CreatedAutomation> {
  const { status, text, body } = await api.post('/api/user/automate/flows', { name: 'Test', flow, ...more });
  if (status !== 201) throw new Error(`${status} ${text}`);
  return body as CreatedAutomation;
}

/** Calls the webhook of an automation, and again where it was not taken: the `webhook-id` makes it one run. */
export const callWebhook = (
  url: string | null,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  comingBack(createApi(url ?? '')).post('', body, { 'webhook-id': randomUUID(), ...headers });

export async function runsOf(api: Api, id: string): Promise<readonly RunSummary[]> {
  const { status, text, body } = await api.get(`/api/user/automate/flows/${id}/runs`);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return (body as { runs: RunSummary[] }).runs;
}

export async function runDetail(api: Api, id: string, runId: string): Promise<RunDetail> {
  const { status, text, body } = await api.get(`/api/user/automate/flows/${id}/runs?run_id=${runId}`);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return (body as { run: RunDetail }).run;
}

/** Resolves with the only run of an automation once it has this status. */
export const onlyRun = (api: Api, id: string, status: RunSummary['status']): Promise<RunDetail> =>
  eventually(async () => {
    const runs = await runsOf(api, id);
    expect(runs).toHaveLength(1);
    const detail = await runDetail(api, id, runs[0]?.id ?? '');
    expect(detail.status, JSON.stringify(detail.steps)).toBe(status);
    return detail;
  });

/**
 * Makes an automation of these steps and starts a run by hand with `sample` as its event; resolves with the run
 * once it has this status.
 */
export async function runOnce(
  api: Api,
  steps: readonly object[],
  sample: object,
  status: RunSummary['status'],
  more: object = {},
): Promise<RunDetail & { readonly automationId: string }> {
  const { automation_id: id } = await createAutomation(api, {
    trigger: { type: 'webhook.inbound' },
    steps,
    ...more,
  });
  const started = await api.post(`/api/user/automate/flows/${id}/test`, {
    sample,
    confirm_side_effects: true,
  });
  if (started.status !== 200) throw new Error(started.text);
  return { ...(await onlyRun(api, id, status)), automationId: id };
}

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/**
 * A server of a third party that records its requests; `answer` makes the answer to each, with the request's number
 * from 0.
 */
export async function startReceiver(
  answer: (received: Received, count: number) => Reply | Promise<Reply> = () => ({}),
): Promise<{ readonly url: string; readonly received: readonly Received[]; close(): Promise<void> }> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const asked: Received = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      ),
      body: Buffer.concat(chunks).toString(),
    };
    received.push(asked);
    const { status = 200, headers = {}, body = '' } = await answer(asked, received.length - 1);
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A listening TCP server has an address of this kind.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
