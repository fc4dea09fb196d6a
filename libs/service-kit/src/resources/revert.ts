import { type OperationDefinition } from '@parley/contracts';
import type { JsonObject } from '@parley/event-store';

/** A change to undo: the fields it changed, with their values before. */
export interface ChangeToRevert {
  /** Of the resource: `12` of `folder/12`. */
  readonly id: string;
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** The resource as it is shown now. */
  readonly now: JsonObject;
}

/** The service's own command that undoes a change. */
export interface RevertPlan {
  readonly operation: OperationDefinition;
  readonly input: Readonly<Record<string, unknown>>;
}

/** How a change is undone, or the reason, in a sentence, why it cannot be. */
export type RevertOf = (change: ChangeToRevert) => RevertPlan | string;

/** Kept by the service beside what was changed; it moves on when a change is undone. */
const bookkeeping = new Set(['updated_at', 'updatedAt', 'version']);

/** The fields that a change is about. */
export const changedFields = ({ before, after }: Pick<ChangeToRevert, 'before' | 'after'>): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((field) => !bookkeeping.has(field));

/** Undoes changes by the operation that makes them: its body takes the earlier values, its path has the id. */
export function revertBy(operation: OperationDefinition): RevertOf {
  const settable = new Set(Object.keys(operation.body?.shape ?? {}));
  const [idField] = Object.keys(operation.params?.shape ?? {});
  return (change) => {
    const fields = changedFields(change);
    const fixed = fields.filter((field) => !settable.has(field));
    if (fixed.length > 0) return `Nobody can set ${fixed.join(', ')}.`;
    const earlier = fields.map((field) => [field, change.before[field] ?? null] as const);
    const id = idField === undefined ? {} : { [idField]: change.id };
    return { operation, input: { ...id, ...Object.fromEntries(earlier) } };
  };
}
