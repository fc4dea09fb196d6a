import { parse } from 'node:querystring';
import { TextDecoder } from 'node:util';
import { invalidField, isStorableJson, type Rejection, reject } from '@parley/contracts';
import { charsetOf } from '@parley/outgoing-http';
import { isDeeperThan, type JsonValue, parseJson } from '../json.ts';
import { maxJsonDepth } from '../run/advance/limits.ts';

/**
 * The body as JSON, as the fields of a form, or as text. A rejection when it is not in its charset, not what its
 * content type says, nested too deep, or cannot be stored.
 */
export function readBody(bytes: Buffer, contentType: string): { readonly body: JsonValue } | Rejection {
  const body = parseBody(bytes, contentType);
  if (body === undefined) return reject('malformed');
  if (isDeeperThan(body, maxJsonDepth))
    return invalidField('body', `The body must not be nested deeper than ${maxJsonDepth} levels.`);
  return isStorableJson(body) ? { body } : reject('malformed');
}

/** The body as JSON; undefined when it is not the JSON that it is said to be, or not in its charset. */
function parseBody(bytes: Buffer, contentType: string): JsonValue | undefined {
  try {
    const decoder = decoderOf(contentType);
    if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return parseForm(bytes, decoder);
    const text = decoder.decode(bytes);
    if (/[/+]json\b/i.test(contentType)) return parseJson(text);
    return /^\s*[[{]/.test(text) ? (parseJson(text) ?? text) : text;
  } catch (error) {
    if (error instanceof Error && 'code' in error && undecodable.has(error.code)) return undefined;
    throw error;
  }
}

/** Codes of the errors for bytes that are not in the charset, and for a charset that is not known. */
const undecodable: ReadonlySet<unknown> = new Set([
  'ERR_ENCODING_INVALID_ENCODED_DATA',
  'ERR_ENCODING_NOT_SUPPORTED',
]);

const decoderOf = (contentType: string): TextDecoder =>
  new TextDecoder(charsetOf(contentType), { fatal: true });

/**
 * The fields of a form; one that comes more than once has the list of its values. Bytes behind a `%` are in the
 * charset, too.
 */
function parseForm(bytes: Buffer, decoder: TextDecoder): JsonValue {
  // Latin-1 has one character for each byte: a name or value is decoded once all of its bytes are known.
  const fields = parse(bytes.toString('latin1'), '&', '=', {
    maxKeys: 0,
    decodeURIComponent: (part) =>
      part.replace(/%([0-9a-f]{2})/gi, (_, byte) => String.fromCharCode(Number.parseInt(byte, 16))),
  });
  const decode = (part: string) => decoder.decode(Buffer.from(part, 'latin1'));
  return Object.fromEntries(
    Object.entries(fields).map(([name, value = '']) => [
      decode(name),
      Array.isArray(value) ? value.map(decode) : decode(value),
    ]),
  );
}
