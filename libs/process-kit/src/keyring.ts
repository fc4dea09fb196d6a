import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
  randomFillSync,
} from 'node:crypto';
import { z } from 'zod';
import { Secret } from './secret.ts';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const format = 's1';

/** A sealed secret cannot be opened: it was changed, belongs elsewhere, or its key is gone. Its text holds no secret. */
export class SealBroken extends Error {
  override readonly name: string = 'SealBroken';
}

/** Its key is not here: it was lost, or this process has its turn later, while keys are rotated. Then it can be opened later. */
export class SealKeyMissing extends SealBroken {
  override readonly name = 'SealKeyMissing';

  constructor(keyId: string) {
    super(`The secret is sealed with the key "${keyId}", which is not configured in SECRETS_KEYS.`);
  }
}

interface Key {
  readonly id: string;
  /** Prepared once: with its bytes every seal would cost four times as much. */
  readonly secret: KeyObject;
}

/** Random bytes are drawn for many nonces at a time; each is used once. */
const drawn = Buffer.alloc(nonceBytes * 256);
let used = drawn.length;

function nextNonce(): Buffer {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += nonceBytes;
  return drawn.subarray(used - nonceBytes, used);
}

/**
 * Secrets at rest: AES-256-GCM under the first key; the others only open what was sealed before the keys changed. A
 * sealed text names its key, so that keys can be rotated, and is bound to a place (for example `sip-trunk-7`), so that
 * it cannot be opened anywhere else.
 */
export class Keyring {
  readonly #keys: readonly [Key, ...Key[]];

  constructor(keys: readonly [Key, ...Key[]]) {
    this.#keys = keys;
  }

  /** The same secret is sealed differently each time. */
  seal(secret: string, place: string): string {
    const [key] = this.#keys;
    const nonce = nextNonce();
    const cipher = createCipheriv(algorithm, key.secret, nonce).setAAD(Buffer.from(place));
    const sealed = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return [format, key.id, sealed.toString('base64url')].join('.');
  }

  /** Throws `SealBroken`. */
  open(sealed: string, place: string): Secret {
    const [name, keyId, text = '', ...rest] = sealed.split('.');
    const key = this.#keys.find(({ id }) => id === keyId);
    if (name !== format || keyId === undefined || rest.length > 0)
      throw new SealBroken('This is no sealed secret.');
    if (!key) throw new SealKeyMissing(keyId);
    const bytes = Buffer.from(text, 'base64url');
    try {
      const decipher = createDecipheriv(algorithm, key.secret, bytes.subarray(0, nonceBytes))
        .setAAD(Buffer.from(place))
        .setAuthTag(bytes.subarray(-tagBytes));
      const opened = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
      return new Secret(Buffer.concat([opened, decipher.final()]).toString('utf8'));
    } catch {
      throw new SealBroken(
        `The key "${keyId}" of SECRETS_KEYS does not open the secret: it is another one than that which sealed it, or the secret was changed.`,
      );
    }
  }
}

/** Everybody knows it: acceptable where the outside world is a stand-in, and so are its secrets. */
const sandboxKey = { id: 'sandbox', secret: createSecretKey(Buffer.alloc(keyBytes, 'parley')) };

/** `<id>:<32 bytes in base64>[,…]`: the first one seals, all of them open. */
export const keyring = () =>
  z
    .string()
    .optional()
    .transform((text, context): Keyring => {
      const [first, ...others] = (text ?? '').split(',').flatMap((part) => part.trim() || []);
      if (first === undefined) return sandboxKeyring;
      const keys = [first, ...others].map(parseKey);
      const [newest, ...older] = keys.flatMap((key) => key ?? []);
      const ids = new Set(keys.map((key) => key?.id));
      if (!newest || older.length < others.length)
        context.addIssue('Must be <id>:<32 bytes in base64>, several separated by commas.');
      else if (ids.size < keys.length) context.addIssue('Must give each key an id of its own.');
      else return new Keyring([newest, ...older]);
      return z.NEVER;
    });

const sandboxKeyring = new Keyring([sandboxKey]);

/** A fresh key, as `keyring` reads it. */
export const newKey = (): string =>
  `${randomBytes(4).toString('hex')}:${randomBytes(keyBytes).toString('base64')}`;

function parseKey(text: string): Key | undefined {
  const [, id, encoded] = /^([a-z0-9-]{1,32}):([A-Za-z0-9+/_=-]+)$/.exec(text) ?? [];
  if (id === undefined || encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.length === keyBytes ? { id, secret: createSecretKey(bytes) } : undefined;
}
