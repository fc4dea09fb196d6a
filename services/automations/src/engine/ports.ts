import type { Connection } from '../actions/action.ts';
import type { CompiledDefinition } from '../definition/compiled.ts';
import type { Resolved } from '../run/step-class.ts';

/** An automation as runs need to know it. */
export interface AutomationStanding {
  readonly accountId: number;
  readonly status: 'active' | 'inactive' | 'deleted';
  /** The version that new runs take. */
  readonly version: number;
}

/** `Definitions`, to be injected. */
export const DEFINITIONS = Symbol('Definitions');

/** Reads automations and their versions. Rejects while the view does not show yet what is on record. */
export interface Definitions {
  /** One version; undefined when there is none of that number. */
  load(automationId: number, version: number): Promise<CompiledDefinition | undefined>;
  /** As it is now, never from a cache; undefined when there never was one. */
  standing(automationId: number): Promise<AutomationStanding | undefined>;
}

/** Connections are resolved at the moment of use, so that repairing one heals the runs that wait for it. */
export interface Connections {
  /** The account's connection that the definition calls `alias`, or why there is none. */
  resolve(
    accountId: number,
    definition: Pick<CompiledDefinition, 'connections'>,
    alias: string,
  ): Promise<Resolved<Connection>>;
}
