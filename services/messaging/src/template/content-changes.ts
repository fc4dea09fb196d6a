import { isDeepStrictEqual } from 'node:util';
import type { TemplateEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { type Template, type TemplateContent, template } from './template.ts';

/**
 * The events without those changes of a template's content that leave `part` of it as it was: what rests on that part
 * does not rest on them.
 */
export function withChangesOf(
  part: (content: TemplateContent) => unknown,
  recorded: readonly RecordedEvent[],
): readonly RecordedEvent[] {
  let state: Template = null;
  return recorded.filter((event) => {
    const before = state;
    state = template.evolve(before, event as RecordedEvent & TemplateEvent);
    if (event.type !== 'TemplateContentChanged' || !before || !state) return true;
    return !isDeepStrictEqual(part(before), part(state));
  });
}
