import { frameBytesOf, maxFrameBytes, onOneLine } from './frame.ts';
import type { OkReply } from './message.ts';

/** More than the head of a part ever takes, and the one character by which a part may be longer. */
const headRoomBytes = 128;

/**
 * A reply larger than a NATS message, as several entries: `[id,"part"]` with a slice of the body each, and at last
 * `[id,"end",position,version,replayed,parts]` with the rest. They keep their order on the way.
 */
export function encodeReplyParts(
  id: number,
  { body, position, version, replayed }: OkReply,
  maxPayload = maxFrameBytes,
): string[] {
  // No character takes more than three bytes, a pair of them four.
  const partLength = Math.floor((frameBytesOf(maxPayload) - headRoomBytes) / 3);
  const text = onOneLine(body);
  const slices: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = wholeCharacter(text, at + partLength);
    slices.push(text.slice(at, end));
    at = end;
  }
  const rest = slices.pop() ?? '';
  const head = [id, 'end', position ?? null, version ?? null, replayed === true, slices.length];
  return [...slices.map((slice) => `[${id},"part"]\n${slice}\n`), `${JSON.stringify(head)}\n${rest}\n`];
}

/** Half of a surrogate pair would not survive UTF-8. */
function wholeCharacter(text: string, end: number): number {
  const code = text.charCodeAt(end - 1);
  return end < text.length && code >= 0xd800 && code < 0xdc00 ? end + 1 : end;
}

/** Puts the parts of replies together, as they arrive; of replies that nobody waits for it keeps none. */
export class ReplyParts {
  readonly #isAwaited: (id: number) => boolean;
  readonly #slices = new Map<number, string[]>();

  constructor(isAwaited: (id: number) => boolean = () => true) {
    this.#isAwaited = isAwaited;
  }

  add(id: number, slice: string): void {
    if (!this.#isAwaited(id)) return;
    const slices = this.#slices.get(id);
    if (slices) slices.push(slice);
    else this.#slices.set(id, [slice]);
  }

  /** The whole body; `undefined` when not all of its parts have come. */
  end(id: number, rest: string, count: unknown): string | undefined {
    const slices = this.#slices.get(id) ?? [];
    this.#slices.delete(id);
    return slices.length === count ? slices.join('') + rest : undefined;
  }

  /** Nobody waits for this reply any more: whoever sent it may be gone, and its end never come. */
  forget(id: number): void {
    this.#slices.delete(id);
  }
}
