import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const idBytes = 16;
const pool = new Uint8Array(512 * idBytes);
let next = pool.length;

/** A fresh uuidv7. Random bytes are drawn for many ids at once: drawing them is most of an id's cost. */
export function newId(): string {
  if (next === pool.length) {
    randomFillSync(pool);
    next = 0;
  }
  next += idBytes;
  return v7({ random: pool.subarray(next - idBytes, next) });
}
