import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type RunningStack, startStack } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

let stack: RunningStack;

beforeAll(async () => {
  stack = await startStack();
});

afterAll(async () => {
  await stack?.stop();
});

interface Call {
  readonly command: string;
  /** What the README says it prints, `…` standing for anything; `null` when it does not say. */
  readonly shown: string | null;
}

/** The `call …` commands of the first steps, each with the comment after it. */
function callsOfReadme(): Call[] {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const script = /## First steps[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  return [...script.matchAll(/^(call .*(?:\n(?!call|#|\n).*)*)(?:\n# (\{.*))?/gm)].map(
    ([, command = '', shown = null]) => ({ command, shown }),
  );
}

const pattern = (shown: string): RegExp => new RegExp(`^${shown.split('…').map(RegExp.escape).join('.*')}$`);

test('the first steps of the README, copied to a shell, print what it shows', () => {
  const calls = callsOfReadme();
  expect(calls.length).toBeGreaterThan(8);
  for (const { command, shown } of calls) {
    const script = `
      call() { curl -sw ' %{http_code}' -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' "$@"; }
      ${command.replaceAll('http://127.0.0.1:3000', stack.baseUrl)}`;
    const env = { ...process.env, KEY: stack.accounts[0]?.apiKey };
    const { stdout } = spawnSync('bash', ['-c', script], { encoding: 'utf8', env });
    const [, body = '', status = ''] = /^([\s\S]*) (\d{3})$/.exec(stdout) ?? [];
    if (shown === null) expect(Number(status), `${command}\n${body}`).toBeLessThan(300);
    else expect(body, command).toMatch(pattern(shown));
  }
});
