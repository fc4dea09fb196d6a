import { isDeepStrictEqual } from 'node:util';
import type { TemplateEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { type Template, type TemplateContent, template } from './template.ts';

/** The events without changes of a template's content that leave this part of it as it was: they are behind nothing that rests on it. */
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
