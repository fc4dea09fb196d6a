import type { Connection } from './action.ts';

interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  /** Takes the secret out of what the other side may have echoed. */
  readonly redact: (text: string) => string;
}

/** How a connection shows who is asking; its secret is in the request and nowhere else. */
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
      .reduce((left, secret) => left.replaceAll(secret, '[secret]'), text);
