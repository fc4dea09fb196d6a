import { validate as isUuid } from 'uuid';
import type { Queued } from './append-queue.ts';
import { newEventId } from './event-id.ts';
import type { AppendRequest, ClaimChange, VersionConflict } from './port.ts';

interface PreparedEvent {
  readonly eventId: string;
  readonly type: string;
  readonly schemaVersion: number;
  /** What is stored, as JSON text that `jsonb` takes. */
  readonly json: string;
  /** `data` as JSON text where it is stored sealed. */
  readonly openJson?: string;
}

/** Appends that are each decided on what the one before leaves behind; broken once one of them is not written. */
export interface AppendRun {
  isBroken: boolean;
}

/** An append that the database will take: texts checked, events named, payloads rendered once. */
export interface PreparedAppend extends Queued {
  readonly request: AppendRequest;
  readonly events: readonly PreparedEvent[];
  readonly metadataJson: string;
  readonly claims: readonly ClaimChange[];
  /** What it is a part of, if it is not written for itself. */
  readonly run: AppendRun | undefined;
}

/** Throws a TypeError for what can never be appended, so that it does not reach a batch with others in it. */
export function prepareAppend(request: AppendRequest, run?: AppendRun): PreparedAppend {
  const { streamId, category, command, checkpoint, timers = [], cancelTimers = [], firesTimer } = request;
  const events = request.events.map((event) => ({
    eventId: event.eventId === undefined ? newEventId() : uuid(event.eventId),
    type: text(event.type),
    schemaVersion: event.schemaVersion ?? 1,
    json: json(event.sealedData ?? event.data),
    ...(event.sealedData && { openJson: json(event.data) }),
  }));
  const claims = withoutRepeats(request.claims ?? []);
  const metadataJson = json(request.metadata);
  const keys: string[] = [];
  if (command) {
    keys.push(`c ${uuid(command.commandId)}`);
    text(command.fingerprint);
    text(command.reply ?? '');
  }
  for (const { scope, key, owner } of claims) {
    keys.push(`k ${text(scope)}\0${text(key)}`);
    text(owner);
  }
  if (checkpoint) keys.push(`p ${text(checkpoint.processor)}`);
  for (const { id, kind, payload } of timers) {
    keys.push(`t ${text(id)}`);
    text(kind);
    json(payload);
  }
  for (const id of cancelTimers) keys.push(`t ${text(id)}`);
  if (firesTimer) keys.push(`t ${text(firesTimer.id)}`);
  text(category);
  const from = request.expectedVersion === 'any' ? Number.NaN : request.expectedVersion;
  const stream = { id: text(streamId), from, to: from + events.length };
  const bytes = events.reduce(
    (sum, event) => sum + event.json.length + metadataJson.length,
    200 + (command?.reply?.length ?? 0),
  );
  return { request, events, metadataJson, claims, bytes, keys, stream, run };
}

export function breakRun({ run }: PreparedAppend): void {
  if (run) run.isBroken = true;
}

/** The answer to what follows in a run that is broken: it was decided on what is not there. */
export const brokenOff = ({ stream }: PreparedAppend): VersionConflict => ({
  kind: 'conflict',
  actualVersion: stream.from,
});

function withoutRepeats(claims: readonly ClaimChange[]): readonly ClaimChange[] {
  if (claims.length < 2) return claims;
  const byKey = new Map<string, ClaimChange>();
  for (const claim of claims) {
    const key = `${claim.op} ${claim.scope}\0${claim.key}`;
    const other = byKey.get(key);
    if (other && other.owner !== claim.owner)
      throw new TypeError(`One append cannot ${claim.op} ${claim.scope} ${claim.key} for two owners.`);
    byKey.set(key, claim);
  }
  return [...byKey.values()];
}

/** Postgres stores neither NUL nor lone surrogates; silently replacing them would change what was said. */
function text(value: string): string {
  if (value.includes('\0') || !value.isWellFormed())
    throw new TypeError(`${JSON.stringify(value)} holds a NUL or a lone surrogate.`);
  return value;
}

/** Escapes that `jsonb` refuses: NUL and lone surrogates, which JSON.stringify writes as escapes. */
const refusedEscape = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

function json(value: unknown): string {
  const rendered = JSON.stringify(value);
  if (rendered === undefined) throw new TypeError('An event needs data that is JSON.');
  if (rendered.includes('\\u') && refusedEscape.test(rendered))
    throw new TypeError('An event holds a NUL or a lone surrogate.');
  return rendered;
}

function uuid(value: string): string {
  if (!isUuid(value)) throw new TypeError(`${JSON.stringify(value)} is not a UUID.`);
  return value.toLowerCase();
}
