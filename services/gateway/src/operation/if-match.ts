import { type Rejection, reject } from '@parley/contracts';
import type { BusReply } from '@parley/message-bus';

/** Versions in ascending order, each once; `null` for whatever there is. */
export type ExpectedVersions = readonly number[] | readonly [null];

const tags = /(W\/)?"([^"]*)"/g;
const listOfTags = /^(?:W\/)?"[^"]*"(?:[ \t]*,[ \t]*(?:W\/)?"[^"]*")*$/;
const version = /^\d{1,15}$/;

/** Each is asked for in turn, so nobody may name any number of them. */
const maxVersions = 8;

const anyVersion: ExpectedVersions = [null];

/**
 * What `If-Match` asks for. Only strong tags of ours can match (RFC 9110, 13.1.1): a list without one is a mismatch, as
 * is what is no list, and one of more versions than anybody has a use for.
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
 * Gives a command with one version after the other until one matches. Versions only grow: when the last one, the highest,
 * does not match either, there was a moment at which none of them did.
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
