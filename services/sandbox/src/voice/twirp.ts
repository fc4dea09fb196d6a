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

/** The request's message. */
export function bodyOf({ body }: ProviderRequest): Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null ? { ...body } : {};
}

/** A field by its JSON name or by its protobuf name: both are valid on the wire. */
export function field(message: Readonly<Record<string, unknown>>, jsonName: string): unknown {
  const protoName = jsonName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return message[jsonName] ?? message[protoName];
}

export const textField = (message: Readonly<Record<string, unknown>>, jsonName: string): string => {
  const value = field(message, jsonName);
  return typeof value === 'string' ? value : '';
};

/** A map of texts, such as attributes. */
export function textMap(
  message: Readonly<Record<string, unknown>>,
  jsonName: string,
): Record<string, string> {
  const value = field(message, jsonName);
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, String(entry)]));
}

/** A list of texts. */
export function textList(message: Readonly<Record<string, unknown>>, jsonName: string): readonly string[] {
  const value = field(message, jsonName);
  return Array.isArray(value) ? value.map(String) : [];
}
