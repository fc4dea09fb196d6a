import type { Connection } from './action.ts';

interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  /** Replaces the secret in a text of the other side, which may have echoed it. */
  readonly redact: (text: string) => string;
}

/** Headers that authenticate by a connection; its secret is in the request and nowhere else. */
export function httpCredentials(connection: Connection | null): Credentials {
  if (!connection) return { headers: {}, redact: (text) => text };
  const { header, username, secret } = Object.fromEntries(
    Object.entries(connection.value).map(([name, value]) => [name, String(value ?? '')]),
  );
  const redact = redactor([secret ?? '']);
  switch (connection.kind) {
    case 'http_bearer':
      return { headers: { authorization: `Bearer ${secret}` }, redact };
    case 'http_header':
      return { headers: { [header ?? 'x-api-key']: secret ?? '' }, redact };
    case 'http_basic': {
      const pair = Buffer.from(`${username}:${secret}`).toString('base64');
      return { headers: { authorization: `Basic ${pair}` }, redact: redactor([secret ?? '', pair]) };
    }
    default:
      return { headers: {}, redact };
  }
}

const redactor =
  (secrets: readonly string[]) =>
  (text: string): string =>
    secrets
      .filter((secret) => secret !== '')
      .reduce((left, secret) => left.replaceAll(inAnySpelling(secret), '[secret]'), text);

/**
 * Matches the secret in JSON, too, which may write any character as an escape; some libraries always do with `/`, which
 * base64 has.
 */
const inAnySpelling = (secret: string): RegExp =>
  new RegExp(
    [...secret]
      .map((character) => `(?:${[...escapesOf(character), character].map(RegExp.escape).join('|')})`)
      .join(''),
    'g',
  );

function escapesOf(character: string): string[] {
  const hex = character.charCodeAt(0).toString(16).padStart(4, '0');
  const short = character === '\t' ? ['\\t'] : '"\\/'.includes(character) ? [`\\${character}`] : [];
  return [...short, `\\u${hex}`, `\\u${hex.toUpperCase()}`];
}
