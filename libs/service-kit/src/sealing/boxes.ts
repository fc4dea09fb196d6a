import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import type { Json, JsonObject } from '@parley/event-store';

/** In a stored payload, beside what is left without the people. */
export const boxesField = '$sealed';

/** All of the keys are needed: what is in it belongs to every one of these people. */
export interface Box {
  readonly keys: readonly string[];
  readonly box: string;
}

export const boxesOf = (data: JsonObject): readonly Box[] =>
  (data[boxesField] ?? []) as unknown as readonly Box[];

/** The payload with only those of its boxes. */
export function withBoxes(data: JsonObject, isKept: (box: Box) => boolean): JsonObject {
  const { [boxesField]: _, ...rest } = data;
  const kept = boxesOf(data).filter(isKept);
  return kept.length === 0 ? rest : { ...rest, [boxesField]: kept as unknown as Json };
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Seals a text so that every one of the keys is needed to open it, and only at its place. AES-256-GCM, base64. */
export function sealBox(keys: readonly KeyObject[], place: string, text: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, combined(keys), nonce).setAAD(Buffer.from(place));
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
    'base64',
  );
}

/** Throws when it was sealed with other keys, for another place, or changed. */
export function openBox(keys: readonly KeyObject[], place: string, box: string): string {
  const bytes = Buffer.from(box, 'base64');
  const decipher = createDecipheriv(algorithm, combined(keys), bytes.subarray(0, nonceBytes))
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(-tagBytes));
  const opened = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
  return Buffer.concat([opened, decipher.final()]).toString('utf8');
}

function combined(keys: readonly KeyObject[]): KeyObject {
  const [only, ...others] = keys;
  if (!only) throw new TypeError('A box needs a key.');
  if (others.length === 0) return only;
  const all = Buffer.concat(keys.map((key) => key.export()));
  return createSecretKey(createHash('sha256').update(all).digest());
}
