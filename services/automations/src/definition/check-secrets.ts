import type { AutomationDefinition } from '@parley/contracts';
import { compileTemplate, type Reference } from '../expression/template.ts';
import type { JsonValue } from '../json.ts';
import { actionSteps } from './action-steps.ts';

/** By step: the names of the values that it hands on of what the trigger brings. */
type Foreign = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Tells of requests with a connection whose host, or a part of it, is what the trigger brings, as it came or mapped by
 * steps: whoever that came from could have the connection's secret sent to themselves.
 */
export function checkSecrets(
  { steps }: AutomationDefinition,
  onFault: (path: string, message: string) => void,
): void {
  const foreign = new Map<string, ReadonlySet<string>>();
  for (const { path, step } of actionSteps(steps)) {
    const input: Readonly<Record<string, JsonValue>> = step.input ?? {};
    if (step.type === 'data.map') {
      const names = Object.keys(input).filter((name) => readsForeign(input[name] ?? null, foreign));
      foreign.set(step.id, new Set(names));
    }
    if (step.type !== 'http.request' || step.connection === undefined) continue;
    if (readsForeign(tokensOfHost(String(input.url)), foreign))
      onFault(
        `${path}.input.url`,
        'The url field must say itself where the secret of its connection goes, up to the path.',
      );
  }
}

const readsForeign = (source: JsonValue, foreign: Foreign): boolean =>
  compileTemplate(source, { timezone: 'UTC', at: '', onFault: () => undefined }).references.some(
    (reference) => isForeign(reference, foreign),
  );

function isForeign({ path }: Reference, foreign: Foreign): boolean {
  if (!path?.step) return path?.root === 'trigger';
  const names = foreign.get(path.step) ?? new Set();
  const [name] = path.keys;
  return name === undefined ? names.size > 0 : names.has(name);
}

const token = /\{\{.*?\}\}/gs;
/** What stands for a token, which may itself hold what ends a host. */
const mark = '\0';
const host = /^\s*(?:[a-z\0]+:[/\\]*)?[^/?#\\]*/i;

/** The tokens of a URL from its beginning to where its path begins. */
function tokensOfHost(url: string): readonly string[] {
  const [written = ''] = host.exec(url.replace(token, mark)) ?? [];
  return (url.match(token) ?? []).slice(0, written.split(mark).length - 1);
}
