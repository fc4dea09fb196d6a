import { onOneLine, readFrame } from './frame.ts';
import type { BusReply } from './message.ts';
import { parseRejection } from './rejection-text.ts';

/** Head: `[id, "ok", position, version, replayed]` or `[id, "rejected"]`; the second line is the body or the rejection. */
export function encodeReply(id: number, reply: BusReply): string {
  if (reply.kind === 'rejected') return `[${id},"rejected"]\n${JSON.stringify(reply.rejection)}\n`;
  const { position, version, replayed } = reply;
  return `[${id},"ok",${position ?? null},${version ?? null},${replayed === true}]\n${onOneLine(reply.body)}\n`;
}

/** Calls `visit` with each reply of a frame; returns how many could not be read. Never throws. */
export function decodeReplyFrame(text: string, visit: (id: number, reply: BusReply) => void): number {
  let faults = 0;
  const unreadable = readFrame(text, (head, json) => {
    const id = head[0];
    const reply = toReply(head, json);
    if (typeof id === 'number' && reply) visit(id, reply);
    else faults += 1;
  });
  return faults + unreadable;
}

function toReply(head: readonly unknown[], json: string): BusReply | undefined {
  const [, status, position, version, replayed] = head;
  if (status === 'rejected') return { kind: 'rejected', rejection: parseRejection(json) };
  if (status !== 'ok') return undefined;
  return {
    kind: 'ok',
    body: json,
    ...(typeof position === 'number' ? { position } : {}),
    ...(typeof version === 'number' ? { version } : {}),
    ...(replayed === true ? { replayed } : {}),
  };
}
