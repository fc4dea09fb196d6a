import type { ErasureEvent } from '@parley/contracts';
import type { Decision, Fold } from '@parley/event-store';

/** The record of an erasure: the ids that stand for the erased person. `null` before it is recorded. */
export type Erasure = { readonly subjectIds: readonly string[] } | null;

export const erasureStream = (erasureId: string): string => `erasure-${erasureId}`;

export const erasure: Fold<Erasure, ErasureEvent> = {
  initialState: null,
  evolve(state, event) {
    switch (event.type) {
      case 'SubjectErased':
        return { subjectIds: event.data.subject_ids };
      default:
        return state;
    }
  },
};

/** Records the erasure once; the same erasure run again adds no event. */
export function recordErased(
  state: Erasure,
  { erasureId, subjectIds }: { readonly erasureId: string; readonly subjectIds: readonly string[] },
): Decision<ErasureEvent, { readonly erasure_id: string }> {
  const data = { erasure_id: erasureId, subject_ids: [...subjectIds] };
  return {
    events: state ? [] : [{ type: 'SubjectErased', data }],
    reply: { erasure_id: erasureId },
  };
}
