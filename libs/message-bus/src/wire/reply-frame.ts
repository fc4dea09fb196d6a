import { onOneLine, readFrame } from './frame.ts';
import type { BusReply, OkReply } from './message.ts';
import { parseRejection } from './rejection-text.ts';
import { ReplyParts } from './reply-parts.ts';

/** Head: `[id, "ok", position, version, replayed]` or `[id, "rejected"]`; the second line is the body or the rejection. */
export function encodeReply(id: number, reply: BusReply): string {
  if (reply.kind === 'rejected') return `[${id},"rejected"]\n${JSON.stringify(reply.rejection)}\n`;
  return `${okHead(id, reply)}\n${onOneLine(reply.body)}\n`;
}

export const okHead = (id: number, { position, version, replayed }: OkReply): string =>
  `[${id},"ok",${position ?? null},${version ?? null},${replayed === true}]`;

/**
 * Calls `visit` with each reply of a frame; returns how many could not be read. Never throws. `parts` keeps what came of
 * replies that take several frames.
 */
export function decodeReplyFrame(
  text: string,
  visit: (id: number, reply: BusReply) => void,
  parts = new ReplyParts(),
): number {
  let faults = 0;
  const unreadable = readFrame(text, (head, json) => {
    const [id, status, ...rest] = head;
    if (typeof id === 'number' && status === 'part') {
      parts.add(id, json);
      return;
    }
    const body = status === 'end' ? parts.end(Number(id), json, rest[3]) : json;
    const reply = body === undefined ? undefined : toReply(head, body);
    if (typeof id === 'number' && reply) visit(id, reply);
    else faults += 1;
  });
  return faults + unreadable;
}

function toReply(head: readonly unknown[], json: string): BusReply | undefined {
  const [, status] = head;
  if (status === 'rejected') return { kind: 'rejected', rejection: parseRejection(json) };
  return status === 'ok' || status === 'end' ? toOkReply(head, json) : undefined;
}

export function toOkReply(head: readonly unknown[], body: string): OkReply {
  const [, , position, version, replayed] = head;
  return {
    kind: 'ok',
    body,
    ...(typeof position === 'number' ? { position } : {}),
    ...(typeof version === 'number' ? { version } : {}),
    ...(replayed === true ? { replayed } : {}),
  };
}
