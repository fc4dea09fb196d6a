import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { eventually, parleyProgram, type RunningStack } from '@parley/testing';
import { expect } from 'vitest';

/** A command of a page. */
interface Statement {
  readonly command: string;
  /** What the page says it prints, `…` standing for anything; `null` when it does not say. */
  readonly shown: string | null;
}

/** A page of this repository, by its path from the root. */
export const readPage = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The commands of a page's first block of shell after a text; each with the comment after it that shows its answer. */
export function statementsOf(page: string, text = ''): Statement[] {
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(page.slice(page.indexOf(text))) ?? [];
  return [...block.matchAll(/^([^#\n ].*(?:\n .*)*)(?:\n# ([{[].*))?/gm)].map(
    ([, command = '', shown = null]) => ({ command, shown }),
  );
}

/**
 * Runs commands in order, as a reader would who copies them to a shell, for the first account of a stack. Expects of each
 * what is shown, or else that it succeeds. What only reads looks again until it is there.
 */
export async function runAsShown(statements: readonly Statement[], stack: RunningStack): Promise<void> {
  const run = shellFor(stack);
  const before: string[] = [];
  for (const { command, shown } of statements) {
    const [, name, kind] = /^(\w+)(=|\(\))/.exec(command) ?? [];
    const step = () => {
      if (kind === '()') before.push(command);
      else if (kind === '=') before.push(run([...before, command, `declare -p ${name}`]));
      else expectShown(run([...before, tellStatus, command]), shown, command);
    };
    if (/ -d | -X /.test(command)) step();
    else await eventually(step);
  }
}

/** Curl says the status after each answer. */
const tellStatus = `curl() { command curl -w ' %{http_code}' "$@"; }`;

function expectShown(printed: string, shown: string | null, command: string): void {
  if (shown === null) expect(printed, command).not.toMatch(/ [45]\d\d\s*$/);
  else expect(printed.replace(/ \d{3}\s*$/, ''), command).toMatch(pattern(shown));
}

const pattern = (shown: string): RegExp => new RegExp(`^${shown.split('…').map(RegExp.escape).join('.*')}$`);

/** Runs lines as one script, in the stack's home, and says what it printed; one that fails or complains is a failure. */
function shellFor({ baseUrl, sandboxUrl, home, accounts }: RunningStack) {
  const env = {
    ...process.env,
    URL: baseUrl,
    SANDBOX: sandboxUrl,
    KEY: accounts[0]?.apiKey,
    PARLEY_HOME: home,
    NO_COLOR: '1',
  };
  return (lines: readonly string[]): string => {
    const script = lines
      .join('\n')
      .replaceAll('http://127.0.0.1:3000', baseUrl)
      .replaceAll('npm run -s parley --', `${process.execPath} ${parleyProgram}`);
    const { status, stdout, stderr } = spawnSync('bash', ['-eo', 'pipefail', '-c', script], {
      encoding: 'utf8',
      cwd: home,
      env,
    });
    expect({ status, stderr }, lines.at(-1)).toEqual({ status: 0, stderr: '' });
    return stdout;
  };
}
