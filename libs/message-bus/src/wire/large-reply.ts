import { onOneLine, parseHead } from './frame.ts';
import type { BusReply, OkReply } from './message.ts';
import { okHead, toOkReply } from './reply-frame.ts';

/** Characters of a body, or bytes of a message, from which on a copy costs more than a message of its own. */
export const largeFrom = 32 * 1024;

const lineBreak = 10;

/** A frame of this one reply. Made as bytes at once: put together with others, its text would be copied several times. */
export function encodeLargeReply(id: number, reply: OkReply): Uint8Array {
  const head = okHead(id, reply);
  const body = onOneLine(reply.body);
  const frame = Buffer.allocUnsafe(head.length + Buffer.byteLength(body) + 2);
  const bodyAt = frame.write(`${head}\n`);
  frame[bodyAt + frame.write(body, bodyAt)] = lineBreak;
  return frame;
}

/** The one reply of a large frame, its body not decoded unless somebody reads it; `undefined` when it is another frame. */
export function decodeLargeReply(
  data: Uint8Array,
): { readonly id: number; readonly reply: BusReply } | undefined {
  if (data.length < largeFrom) return undefined;
  // A `Buffer` looks for bytes twenty times as fast as any other `Uint8Array`.
  const frame = Buffer.from(data.buffer, data.byteOffset, data.length);
  const headEnd = frame.indexOf(lineBreak);
  if (frame.indexOf(lineBreak, headEnd + 1) !== frame.length - 1) return undefined;
  const head = parseHead(frame.toString('utf8', 0, headEnd));
  const [id, status] = head ?? [];
  if (!head || typeof id !== 'number' || status !== 'ok') return undefined;
  const bytes = frame.subarray(headEnd + 1, -1);
  const { body: _, ...more } = toOkReply(head, '');
  return {
    id,
    reply: {
      ...more,
      bytes,
      get body() {
        return bytes.toString();
      },
    },
  };
}
