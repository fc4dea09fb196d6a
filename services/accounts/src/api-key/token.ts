import { createHash, randomBytes } from 'node:crypto';

const tokenBytes = 32;

/** A fresh secret: whoever holds it is the account. It leaves the process once, in the answer, and is stored nowhere. */
export const newToken = (): string => `parley_${randomBytes(tokenBytes).toString('base64url')}`;

/** What is stored and looked up instead of the token, as lower-case hexadecimal. */
export const sha256Of = (token: string): string => createHash('sha256').update(token).digest('hex');
