import type { Organiser } from './organiser.ts';

/**
 * An organiser as the API shows it. An answer takes its bytes from `toItem`, a list from `itemColumn`, which the
 * database keeps beside the row's other columns: the same keys in the same order, so that both are the same bytes.
 */
export const toItem = ({ id, name, color }: NonNullable<Organiser>, assistantsCount = 0) => ({
  id,
  name,
  color,
  assistants_count: assistantsCount,
});

/** `name_json` is the name as JSON text; colors need no escaping. */
export const itemColumn = `
  '{"id":' || id::text || ',"name":' || name_json || ',"color":' || coalesce('"' || color || '"', 'null')
    || ',"assistants_count":' || assistants_count::text || '}'`;
