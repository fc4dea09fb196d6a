import { onOneLine, readFrame } from './frame.ts';
import type { MessageContext } from './message.ts';

/** A request as it stands in a frame. */
export interface FramedRequest {
  /** Unique among the sender's requests in flight; the reply carries it. */
  readonly id: number;
  readonly subject: string;
  readonly context: MessageContext;
  /** JSON text, not parsed yet. */
  readonly payload: string;
}

/**
 * Head: `[id, subject, timeoutMs, accountId, actorKind, actorId, correlationId, commandId, fingerprint,
 * expectedVersion, baseUrl, traceparent, causationId, chainDepth]`. Later versions may append; readers ignore what they do not know.
 */
export function encodeRequest(id: number, subject: string, context: MessageContext, payload: string): string {
  const head = JSON.stringify([
    id,
    subject,
    context.timeoutMs,
    context.accountId,
    context.actor.kind,
    context.actor.id,
    context.correlationId,
    context.commandId,
    context.fingerprint,
    context.expectedVersion,
    context.baseUrl,
    context.traceparent,
    context.causationId,
    context.chainDepth,
  ]);
  return `${head}\n${onOneLine(payload)}\n`;
}

/** Calls `visit` with each request of a frame; returns how many could not be read. Never throws. */
export function decodeRequestFrame(text: string, visit: (request: FramedRequest) => void): number {
  let faults = 0;
  const unreadable = readFrame(text, (head, payload) => {
    const [id, subject] = head;
    const context = toContext(head);
    if (typeof id === 'number' && typeof subject === 'string' && context)
      visit({ id, subject, context, payload });
    else faults += 1;
  });
  return faults + unreadable;
}

function toContext(head: readonly unknown[]): MessageContext | undefined {
  const timeoutMs = head[2];
  const accountId = head[3];
  const kind = head[4];
  const id = head[5];
  const correlationId = head[6];
  const commandId = head[7];
  const fingerprint = head[8];
  const expectedVersion = head[9];
  const baseUrl = head[10];
  const traceparent = head[11];
  const causationId = head[12];
  const chainDepth = head[13];
  if (
    typeof timeoutMs !== 'number' ||
    !isNumberOrNull(accountId) ||
    !isActorKind(kind) ||
    typeof id !== 'string' ||
    typeof correlationId !== 'string' ||
    !isTextOrNull(commandId) ||
    !isTextOrNull(fingerprint) ||
    !isNumberOrNull(expectedVersion) ||
    !isTextOrNull(baseUrl)
  )
    return undefined;
  const context = {
    accountId,
    actor: { kind, id },
    commandId,
    fingerprint,
    correlationId,
    expectedVersion,
    baseUrl,
    timeoutMs,
  };
  // Most have none of them: nothing is copied then.
  if (typeof traceparent !== 'string' && typeof causationId !== 'string' && typeof chainDepth !== 'number')
    return context;
  return {
    ...context,
    ...(typeof traceparent === 'string' ? { traceparent } : {}),
    ...(typeof causationId === 'string' ? { causationId } : {}),
    ...(typeof chainDepth === 'number' ? { chainDepth } : {}),
  };
}

const isNumberOrNull = (value: unknown): value is number | null =>
  value === null || typeof value === 'number';
const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string';

export function isActorKind(kind: unknown): kind is MessageContext['actor']['kind'] {
  switch (kind) {
    case 'api_key':
    case 'operator':
    case 'automation':
    case 'provider':
    case 'system':
      return true;
    default:
      return false;
  }
}
