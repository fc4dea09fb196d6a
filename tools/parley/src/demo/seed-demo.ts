import { type Demo, readDemo, writeDemo } from '../demo-file.ts';
import type { Operator } from '../operator/operator.ts';
import { makeAccounts } from './demo-accounts.ts';
import { call, demoContext } from './demo-context.ts';
import { demoPartNames } from './part-names.ts';
import { demoParts } from './parts.ts';

export interface DemoPlace {
  /** Where `demo.json` goes. */
  readonly home: string;
  readonly baseUrl: string;
  readonly sandboxUrl: string;
  /** Where this process reaches the gateway. */
  readonly via: string;
  /** Where it reaches the sandbox. */
  readonly sandboxVia: string;
}

/** Makes the demo, or what is missing of it, and writes `demo.json` (mode 0600: it holds the keys). */
export async function seedDemo(
  operator: Operator,
  { home, baseUrl, sandboxUrl, via, sandboxVia }: DemoPlace,
): Promise<Demo> {
  const known = await readDemo(home);
  const accounts = await makeAccounts(operator, known?.accounts ?? [], async (apiKey) => {
    const answer = await call(`${via}/api/user/me`, { headers: { authorization: `Bearer ${apiKey}` } });
    return answer.ok;
  });
  const [owner] = accounts;
  const demo = { base_url: baseUrl, sandbox_url: sandboxUrl, accounts, parts: known?.parts ?? [] };
  await writeDemo(home, demo);
  const context = demoContext({ via, sandboxVia, apiKey: owner?.api_key ?? '' });
  for (const name of demoPartNames) await demoParts[name].seed(context);
  const complete = { ...demo, parts: [...demoPartNames] };
  await writeDemo(home, complete);
  return complete;
}
