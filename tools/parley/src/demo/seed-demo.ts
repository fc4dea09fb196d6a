import { type Demo, readDemo, writeDemo } from '../demo-file.ts';
import { CommandFailed, exitCodes } from '../exit-codes.ts';
import type { Operator } from '../operator/operator.ts';
import { makeAccounts } from './demo-accounts.ts';
import { demoPartNames } from './part-names.ts';
import { demoParts } from './parts.ts';

export interface DemoPlace {
  /** Where `demo.json` goes. */
  readonly home: string;
  readonly baseUrl: string;
  readonly sandboxUrl: string;
  /** Where this process reaches the gateway. */
  readonly via: string;
}

/** Makes the demo, or what is missing of it, and writes `demo.json` (mode 0600: it holds the keys). */
export async function seedDemo(
  operator: Operator,
  { home, baseUrl, sandboxUrl, via }: DemoPlace,
): Promise<Demo> {
  const known = await readDemo(home);
  const accounts = await makeAccounts(operator, known?.accounts ?? [], async (apiKey) => {
    const answer = await call(`${via}/api/user/me`, { headers: { authorization: `Bearer ${apiKey}` } });
    return answer.ok;
  });
  const [owner] = accounts;
  const demo = { base_url: baseUrl, sandbox_url: sandboxUrl, accounts, parts: known?.parts ?? [] };
  await writeDemo(home, demo);
  for (const name of demoPartNames) {
    await demoParts[name].seed({
      post: (path, body, id) => post(`${via}${path}`, owner?.api_key, body, id),
    });
  }
  const complete = { ...demo, parts: [...demoPartNames] };
  await writeDemo(home, complete);
  return complete;
}

async function post(url: string, apiKey: string | undefined, body: unknown, id: string): Promise<void> {
  const answer = await call(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': `demo-${id}`,
    },
    body: JSON.stringify(body),
  });
  if (answer.ok) return;
  const text = await answer.text();
  // Made more than a day ago (decisions, section 8): the answer is forgotten, the effect is there.
  if (answer.status === 409 && text.includes('"idempotency_key_expired"')) return;
  throw new CommandFailed(`POST ${url} answered ${answer.status}: ${text}`);
}

const call = (url: string, request: RequestInit): Promise<Response> =>
  fetch(url, { ...request, signal: AbortSignal.timeout(15_000) }).catch((cause) => {
    throw new CommandFailed(`${url} does not answer.`, exitCodes.unreachable, { cause });
  });
