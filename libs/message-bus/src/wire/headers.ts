import { validate as isUuid, v7 as uuidv7 } from 'uuid';
import { decodeHeaderText, encodeHeaderText } from './header-text.ts';
import type { BusRejection, BusReply, MessageContext } from './message.ts';
import { parseRejection } from './rejection-text.ts';
import { isActorKind } from './request-frame.ts';

/** Header names of single messages; written like this, read in any case. */
const names = {
  account: 'Parley-Account',
  actor: 'Parley-Actor',
  commandId: 'Parley-Command-Id',
  fingerprint: 'Parley-Fingerprint',
  correlationId: 'Parley-Correlation-Id',
  causationId: 'Parley-Causation-Id',
  expectedVersion: 'Parley-Expected-Version',
  baseUrl: 'Parley-Base-Url',
  timeoutMs: 'Parley-Timeout-Ms',
  traceparent: 'traceparent',
  chainDepth: 'Parley-Chain-Depth',
  status: 'Parley-Status',
  position: 'Parley-Position',
  version: 'Parley-Version',
  replayed: 'Parley-Replayed',
} as const;

const defaultTimeoutMs = 10_000;
const maxTimeoutMs = 300_000;
const maxChainDepth = 999;
const traceparentSyntax = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

export type HeaderList = readonly (readonly [name: string, value: string])[];
/** Value of a header, whatever the case of its name; `undefined` when absent. */
export type ReadHeader = (name: string) => string | undefined;

/** The context as headers of a single message; values are printable ASCII, others are percent-encoded. */
export function encodeContext(context: MessageContext): HeaderList {
  const headers: [string, string][] = [
    [names.actor, escapeNonAscii(JSON.stringify(context.actor))],
    [names.correlationId, encodeHeaderText(context.correlationId)],
    [names.timeoutMs, String(context.timeoutMs)],
  ];
  const add = (name: string, value: string | number | null | undefined) => {
    if (value !== null && value !== undefined) headers.push([name, encodeHeaderText(String(value))]);
  };
  add(names.account, context.accountId);
  add(names.commandId, context.commandId);
  add(names.fingerprint, context.fingerprint);
  add(names.expectedVersion, context.expectedVersion);
  add(names.baseUrl, context.baseUrl);
  add(names.causationId, context.causationId);
  add(names.traceparent, context.traceparent);
  add(names.chainDepth, context.chainDepth);
  return headers;
}

/**
 * The context of a single message. What is absent gets a default: the actor `system/unknown`, no account, a fresh
 * command id for commands, 10 s. What is there but wrong is rejected as `malformed`.
 */
export function decodeContext(subject: string, read: ReadHeader): MessageContext | BusRejection {
  const wrong: string[] = [];
  const text = (name: string) => {
    const value = read(name);
    return value === undefined || value === '' ? null : decodeHeaderText(value);
  };
  const integer = (name: string, max: number) => {
    const value = text(name);
    if (value === null) return null;
    const number = Number(value);
    if (/^\d{1,16}$/.test(value) && number <= max) return number;
    wrong.push(name);
    return null;
  };
  const actorText = read(names.actor);
  const actor = actorText ? parseActor(actorText) : { kind: 'system' as const, id: 'unknown' };
  if (!actor) wrong.push(names.actor);
  const commandId = text(names.commandId);
  if (commandId !== null && !isUuid(commandId)) wrong.push(names.commandId);
  const accountId = integer(names.account, Number.MAX_SAFE_INTEGER);
  const expectedVersion = integer(names.expectedVersion, Number.MAX_SAFE_INTEGER);
  const chainDepth = integer(names.chainDepth, maxChainDepth);
  const timeoutMs = integer(names.timeoutMs, maxTimeoutMs) ?? defaultTimeoutMs;
  if (!actor || wrong.length > 0)
    return { code: 'malformed', message: `These headers could not be read: ${wrong.join(', ')}.` };
  const traceparent = text(names.traceparent);
  const context = {
    accountId,
    actor,
    commandId: commandId ?? (subject.startsWith('cmd.') ? uuidv7() : null),
    fingerprint: text(names.fingerprint),
    correlationId: text(names.correlationId) ?? uuidv7(),
    expectedVersion,
    baseUrl: text(names.baseUrl),
    timeoutMs,
  };
  const causationId = text(names.causationId);
  return {
    ...context,
    ...(traceparent !== null && traceparentSyntax.test(traceparent) ? { traceparent } : {}),
    ...(causationId === null ? {} : { causationId }),
    ...(chainDepth === null ? {} : { chainDepth }),
  };
}

/** A reply as a single message: its JSON and its headers. */
export function encodeReplyMessage(reply: BusReply): { body: string; headers: HeaderList } {
  if (reply.kind === 'rejected')
    return { body: JSON.stringify(reply.rejection), headers: [[names.status, 'rejected']] };
  const headers: [string, string][] = [[names.status, 'ok']];
  if (reply.position !== undefined) headers.push([names.position, String(reply.position)]);
  if (reply.version !== undefined) headers.push([names.version, String(reply.version)]);
  if (reply.replayed) headers.push([names.replayed, 'true']);
  return { body: reply.body, headers };
}

/** The other way round, for callers that send single messages. */
export function decodeReplyMessage(body: string, read: ReadHeader): BusReply {
  if (read(names.status) !== 'ok') return { kind: 'rejected', rejection: parseRejection(body) };
  const position = read(names.position);
  const version = read(names.version);
  return {
    kind: 'ok',
    body,
    ...(position ? { position: Number(position) } : {}),
    ...(version ? { version: Number(version) } : {}),
    ...(read(names.replayed) === 'true' ? { replayed: true } : {}),
  };
}

function parseActor(text: string): MessageContext['actor'] | undefined {
  try {
    const actor: unknown = JSON.parse(text);
    if (typeof actor !== 'object' || actor === null || !('kind' in actor) || !('id' in actor))
      return undefined;
    const { kind, id } = actor;
    return isActorKind(kind) && typeof id === 'string' ? { kind, id } : undefined;
  } catch {
    return undefined;
  }
}

const escapeNonAscii = (json: string): string =>
  json.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
