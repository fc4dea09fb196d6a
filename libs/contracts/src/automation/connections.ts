import { z } from 'zod';

/** Kinds of connections whose secrets Parley keeps. A `chatapp_sender` needs none: it is the account's own. */
export const connectionKinds = ['http_bearer', 'http_header', 'http_basic', 'hmac_sha256'] as const;
export type ConnectionKind = (typeof connectionKinds)[number];

/** What the secret of a connection is used with. */
export const connectionAuth = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('http_bearer') }),
  z.object({ kind: z.literal('http_header'), header: z.string() }),
  z.object({ kind: z.literal('http_basic'), username: z.string() }),
  z.object({ kind: z.literal('hmac_sha256') }),
]);
export type ConnectionAuth = z.output<typeof connectionAuth>;

/** From the fields as the API has them, side by side for all kinds; those of others are left out. */
export function toConnectionAuth({
  kind,
  header,
  username,
}: {
  readonly kind: ConnectionKind;
  readonly header?: string | null | undefined;
  readonly username?: string | null | undefined;
}): ConnectionAuth {
  switch (kind) {
    case 'http_header':
      return { kind, header: header ?? '' };
    case 'http_basic':
      return { kind, username: username ?? '' };
    case 'http_bearer':
    case 'hmac_sha256':
      return { kind };
    default:
      return kind satisfies never;
  }
}
