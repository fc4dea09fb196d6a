import { type Rejection, reject } from '@parley/contracts';
import type { BusReply } from '@parley/message-bus';

/**
 * The versions of which one must be the present one, ascending and without repetitions; `[null]` when any version
 * will do.
 */
export type ExpectedVersions = readonly number[] | readonly [null];

const tags = /(W\/)?"([^"]*)"/g;
const listOfTags = /^(?:W\/)?"[^"]*"(?:[ \t]*,[ \t]*(?:W\/)?"[^"]*")*$/;
const version = /^\d{1,15}$/;

/** Each version is tried with a request of its own, so the header may name only so many. */
const maxVersions = 8;

const anyVersion: ExpectedVersions = [null];

/**
 * The versions that an `If-Match` header asks for. Only our strong tags (a version in quotes) can match (RFC 9110,
 * 13.1.1), so `version_mismatch` is the answer to a header without one, one that is no list, and one with more than
 * `maxVersions`.
 */
export function expectedVersionsOf(header: string | undefined): ExpectedVersions | Rejection {
  const wanted = header?.trim();
  if (wanted === undefined || wanted === '*') return anyVersion;
  const listed = listOfTags.test(wanted) ? [...wanted.matchAll(tags)] : [];
  const strong = listed.flatMap(([, weak, tag = '']) =>
    weak === undefined && version.test(tag) ? [Number(tag)] : [],
  );
  const versions = [...new Set(strong)].sort((a, b) => a - b);
  return versions.length === 0 || versions.length > maxVersions ? reject('version_mismatch') : versions;
}

/**
 * Sends a command with one expected version after the other until one matches. Versions only grow, so when the last
 * and highest does not match either, there was a moment at which none of them did.
 */
export async function atOneOf(
  versions: ExpectedVersions,
  ask: (expected: number | null) => Promise<BusReply>,
): Promise<BusReply> {
  const [first = null, ...rest] = versions;
  let reply = await ask(first);
  for (const next of rest) {
    if (reply.kind === 'ok' || reply.rejection.code !== 'version_mismatch') return reply;
    reply = await ask(next);
  }
  return reply;
}
