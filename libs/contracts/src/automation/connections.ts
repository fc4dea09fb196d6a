/** Kinds of connections whose secrets Parley keeps. A `chatapp_sender` needs none: it is the account's own. */
export const connectionKinds = ['http_bearer', 'http_header', 'http_basic', 'hmac_sha256'] as const;
export type ConnectionKind = (typeof connectionKinds)[number];
