import type { RecordedEvent } from '@parley/event-store';

/** One statement of a projection. `name` makes it a prepared statement; it need only be unique within the projection. */
export interface ProjectionStatement {
  readonly name?: string;
  readonly text: string;
  readonly values?: unknown[];
}

export interface ProjectionDb {
  /** Where the projection's tables are in this run: the live schema, or a shadow of it. */
  readonly schema: string;
  /**
   * Adds a statement to what this batch of events writes. All of them run in the order issued, in one transaction with
   * the checkpoint, and travel together: there is no result to wait for, so look at present rows within the statement.
   */
  query(statement: ProjectionStatement): void;
}

export interface ProjectionDefinition<Event extends { readonly type: string } = { readonly type: string }> {
  /** Lower case snake, at most 30 characters. */
  readonly name: string;
  /** Raise it with every change of `tables` or of what `project` writes: the new one is built beside the old one. */
  readonly version: number;
  /** The event types that `project` gets, all others are left out. */
  readonly handles: readonly Event['type'][];
  /** The tables as DDL, every name qualified with `schema`. Give each a primary key: `verify` names rows by it. */
  readonly tables: (schema: string) => string;
  /**
   * Turns events into set-based statements: no I/O, no clock, no randomness, so that a rebuild gives the same rows.
   * `events` are in log order, each exactly once; a batch may hold several events of one row.
   */
  project(events: readonly (RecordedEvent & Event)[], db: ProjectionDb): void | Promise<void>;
}

export interface Projection extends ProjectionDefinition {
  /** Its row in `es.checkpoints`. */
  readonly checkpoint: string;
}

/** Checks the definition's names; throws a TypeError when they do not fit. */
export function defineProjection<Event extends { readonly type: string }>(
  definition: ProjectionDefinition<Event>,
): Projection {
  const { name, version } = definition;
  if (!/^[a-z][a-z0-9_]{0,29}$/.test(name)) throw new TypeError(`"${name}" does not name a projection.`);
  if (!Number.isInteger(version) || version < 1)
    throw new TypeError(`${name}: a version is an integer from 1.`);
  return { ...definition, checkpoint: `projection:${name}@${version}` };
}

/** The schema that queries read: `view_<name>_v<version>`. */
export const liveSchema = (projection: Pick<Projection, 'name' | 'version'>): string =>
  `view_${projection.name}_v${projection.version}`;

const shadowPurposes = ['next', 'verify', 'old'] as const;

/** A second copy of the tables beside the live ones, and the live ones that a rebuild has replaced. */
export const shadowSchema = (
  projection: Pick<Projection, 'name' | 'version'>,
  purpose: (typeof shadowPurposes)[number],
): string => `${liveSchema(projection)}__${purpose}`;

/** All that there may be: what was broken off leaves its own behind. */
export const shadowSchemas = (projection: Pick<Projection, 'name' | 'version'>): string[] =>
  shadowPurposes.map((purpose) => shadowSchema(projection, purpose));

/** What `project` wants written to `schema` for these events; nothing when it handles none of them. */
export async function collectStatements(
  projection: Projection,
  events: readonly RecordedEvent[],
  schema: string,
): Promise<ProjectionStatement[]> {
  const handled = events.filter((event) => projection.handles.includes(event.type));
  const statements: ProjectionStatement[] = [];
  if (handled.length === 0) return statements;
  await projection.project(handled, {
    schema,
    query: ({ name, ...statement }) => {
      statements.push(name === undefined ? statement : { ...statement, name: `${schema}.${name}` });
    },
  });
  return statements;
}
