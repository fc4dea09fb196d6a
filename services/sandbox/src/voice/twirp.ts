import type { ProviderAnswer, ProviderRequest } from '../provider/provider.ts';

/** The official SDK reads an error only with exactly this type. */
const headers = { 'content-type': 'application/json' };

const statuses = {
  invalid_argument: 400,
  unauthenticated: 401,
  not_found: 404,
  already_exists: 409,
  internal: 500,
} as const;

export const twirpError = (code: keyof typeof statuses, msg: string): ProviderAnswer => ({
  status: statuses[code],
  headers,
  body: { code, msg },
});

export const twirpOk = (body: unknown): ProviderAnswer => ({ status: 200, headers, body });

/** A message as JSON. */
export type Json = Readonly<Record<string, unknown>>;

const messageOf = (value: unknown): Json | null =>
  typeof value === 'object' && value !== null ? { ...value } : null;

/** The request's message. */
export const bodyOf = ({ body }: ProviderRequest): Json => messageOf(body) ?? {};

/** `sipTrunkId` as protobuf names it: `sip_trunk_id`. */
export const protoNameOf = (jsonName: string): string =>
  jsonName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A field by its JSON name or by its protobuf name: both are valid on the wire. */
export const field = (message: Json, jsonName: string): unknown =>
  message[jsonName] ?? message[protoNameOf(jsonName)];

/** A message within; null when there is none. */
export const messageField = (message: Json, jsonName: string): Json | null =>
  messageOf(field(message, jsonName));

export const textField = (message: Json, jsonName: string): string => {
  const value = field(message, jsonName);
  return typeof value === 'string' ? value : '';
};

/** A map of texts, such as attributes. */
export function textMap(message: Json, jsonName: string): Record<string, string> {
  const entries = Object.entries(messageField(message, jsonName) ?? {});
  return Object.fromEntries(entries.map(([key, entry]) => [key, String(entry)]));
}

/** A list of texts. */
export function textList(message: Json, jsonName: string): readonly string[] {
  const value = field(message, jsonName);
  return Array.isArray(value) ? value.map(String) : [];
}
