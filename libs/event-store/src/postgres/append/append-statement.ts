import type { PreparedAppend } from '../../prepare-append.ts';
import type { SqlQuery } from '../../sql.ts';
import { type Foretold, writtenBefore } from './batch-outcome.ts';

/** One call of `es.append` for a batch; pure. Arrays of ids and numbers are written out here: nothing in them needs quoting. */
export function appendStatement(
  batch: readonly PreparedAppend[],
  views: readonly string[],
  foretold?: Foretold,
): SqlQuery & { readonly values: unknown[] } {
  const streamIds: string[] = [];
  const expected: (number | null)[] = [];
  const counts: number[] = [];
  const ends: number[] = [];
  const eventAppends: number[] = [];
  const eventPlaces: number[] = [];
  const eventStreams: string[] = [];
  const eventCategories: string[] = [];
  const eventAccounts: (number | null)[] = [];
  const eventTypes: string[] = [];
  const eventSchemaVersions: number[] = [];
  const eventIds: string[] = [];
  const eventData: string[] = [];
  const eventMetadata: string[] = [];
  let end = 0;
  for (const [index, { request, events, metadataJson }] of batch.entries()) {
    streamIds.push(request.streamId);
    expected.push(request.expectedVersion === 'any' ? null : request.expectedVersion);
    end += events.length;
    counts.push(events.length);
    ends.push(end);
    for (const [place, event] of events.entries()) {
      eventAppends.push(index + 1);
      eventPlaces.push(place + 1);
      eventStreams.push(request.streamId);
      eventCategories.push(request.category);
      eventAccounts.push(request.accountId);
      eventTypes.push(event.type);
      eventSchemaVersions.push(event.schemaVersion);
      eventIds.push(event.eventId);
      eventData.push(event.json);
      eventMetadata.push(metadataJson);
    }
  }
  return {
    name: 'es-append',
    text: statementText,
    values: [
      streamIds,
      plainArray(expected),
      plainArray(counts),
      plainArray(ends),
      ...commandArrays(batch),
      plainArray(eventAppends),
      plainArray(eventPlaces),
      eventStreams,
      eventCategories,
      plainArray(eventAccounts),
      eventTypes,
      plainArray(eventSchemaVersions),
      plainArray(eventIds),
      `[${eventData.join(',')}]`,
      `[${eventMetadata.join(',')}]`,
      ...claimArrays(batch),
      effectsJson(batch),
      views,
      foretold?.previousHead ?? null,
      foretold?.recordedAt ?? null,
    ],
  };
}

const statementText = `select previous_head, (at at time zone 'UTC')::text, versions, refusals, is_behind,
    (clock at time zone 'UTC')::text
  from es.append(${Array.from({ length: 26 }, (_, index) => `$${index + 1}`).join(', ')})`;

const plainArray = (values: readonly (string | number | null)[]) =>
  `{${values.map((value) => value ?? 'null').join(',')}}`;

function commandArrays(batch: readonly PreparedAppend[]): unknown[] {
  const commands = batch.map(({ request }) => request.command);
  if (commands.every((command) => command === undefined)) return [null, null, null];
  return [
    plainArray(commands.map((command) => command?.commandId ?? null)),
    commands.map((command) => command?.fingerprint ?? null),
    commands.map((command) => command?.reply ?? null),
  ];
}

function claimArrays(batch: readonly PreparedAppend[]): unknown[] {
  const claims = batch.flatMap((append, index) =>
    append.claims.map((claim) => ({ ...claim, append: index + 1 })),
  );
  if (claims.length === 0) return [null, null, null, null, null];
  return [
    plainArray(claims.map(({ append }) => append)),
    plainArray(claims.map(({ op }) => (op === 'take' ? 't' : 'f'))),
    claims.map(({ scope }) => scope),
    claims.map(({ key }) => key),
    claims.map(({ owner }) => owner),
  ];
}

function effectsJson(batch: readonly PreparedAppend[]): string | null {
  const timers = batch.flatMap(({ request }) =>
    (request.timers ?? []).map(({ id, kind, due, payload }) => ({ id, kind, ...due, payload })),
  );
  const cancelTimers = batch.flatMap(({ request }) => request.cancelTimers ?? []);
  const checkpoints = batch.flatMap(({ request: { checkpoint } }, index) =>
    checkpoint ? [{ ...checkpoint, append: index + 1 }] : [],
  );
  const fires = batch.flatMap(({ request: { firesTimer } }, index) =>
    firesTimer ? [{ ...firesTimer, append: index + 1 }] : [],
  );
  const before = writtenBefore(batch);
  const hasRuns = before.some((count) => count > 0);
  if (timers.length + cancelTimers.length + checkpoints.length + fires.length === 0 && !hasRuns) return null;
  return JSON.stringify({
    ...(hasRuns && { before }),
    ...(fires.length > 0 && { fires }),
    ...(timers.length > 0 && { timers }),
    ...(cancelTimers.length > 0 && { cancelTimers }),
    ...(checkpoints.length > 0 && { checkpoints }),
  });
}
