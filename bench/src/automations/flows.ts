import type { SeededAccount } from '../http/parley.ts';

const webhook = { type: 'webhook.inbound' };
const settings = { max_concurrent_runs: 10_000 };

/** `count` steps that only give values names, each from the one before. */
const mapFlow = (count: number) => ({
  trigger: webhook,
  settings,
  steps: Array.from({ length: count }, (_, step) => ({
    id: `map${step}`,
    type: 'data.map',
    input: {
      value: step === 0 ? '{{trigger.body.n}} 0' : `{{steps.map${step - 1}.output.value}} ${step}`,
    },
  })),
});

const httpFlow = (url: string, count: number) => ({
  trigger: webhook,
  settings,
  steps: Array.from({ length: count }, (_, step) => ({
    id: `tell${step}`,
    type: 'http.request',
    on_unknown: 'repeat',
    input: { method: 'POST', url, json: { n: '{{trigger.body.n}}', step } },
  })),
});

export const flows = {
  map3: () => mapFlow(3),
  map20: () => mapFlow(20),
  http3: (url: string) => httpFlow(url, 3),
  http1: (url: string) => httpFlow(url, 1),
  delay: () => ({
    trigger: webhook,
    settings,
    steps: [{ id: 'wait', type: 'delay', for: 'PT4S' }, ...mapFlow(1).steps],
  }),
};

export interface BenchAutomation {
  readonly id: string;
  /** Where requests start runs. */
  readonly webhookPath: string;
}

export async function createAutomation(
  baseUrl: string,
  { key }: SeededAccount,
  flow: object,
): Promise<BenchAutomation> {
  const answer = await fetch(`${baseUrl}/api/user/automate/flows`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Bench', flow }),
  });
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`${answer.status} ${text}`);
  const { automation_id: id, webhook_url: url } = JSON.parse(text);
  return { id, webhookPath: new URL(url).pathname };
}
