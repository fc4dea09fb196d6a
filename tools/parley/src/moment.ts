import { z } from 'zod';

/** A moment of a resource: a version of it, a position of its service's log, or a time; `{}` is now. */
export type Moment =
  | { readonly version: number }
  | { readonly position: number }
  | { readonly time: string }
  | Record<string, never>;

const whole = /^(v|version|p|position):?(\d{1,15})$/;
/** A day that there is, and a zone that there can be. */
const instant = z.iso.datetime({ offset: true });
const time = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?)?(Z|[+-]\d{2}:\d{2})?$/;

/**
 * `v:3`, `p:120`, `now`, or a time such as `2026-11-21T02:04:31.123456Z` (a blank for the T, a missing zone as UTC and
 * missing seconds are fine, so that what `parley` prints can be given back). `undefined` when it is none of these.
 */
export function parseMoment(text: string): Moment | undefined {
  const trimmed = text.trim();
  if (trimmed === 'now') return {};
  const [, kind, number] = whole.exec(trimmed) ?? [];
  if (kind) return kind.startsWith('v') ? { version: Number(number) } : { position: Number(number) };
  const [, day, minutes = '00:00', seconds = ':00', zone = 'Z'] = time.exec(trimmed) ?? [];
  if (!day) return undefined;
  const iso = `${day}T${minutes}${seconds}${zone}`;
  return instant.safeParse(iso).success ? { time: iso } : undefined;
}
