import type { Organiser } from './organiser.ts';
import type { OrganiserKind } from './organiser-kind.ts';

/** An organiser's own fields as they are shown; where no color is on record, its kind's default is. */
export const showOrganiser = ({ defaultColor }: OrganiserKind, state: Organiser) =>
  state && { ...state, color: state.color ?? defaultColor };

/**
 * An organiser as the API shows it. An answer takes its bytes from `toItem`, a list from `itemColumn`, which the
 * database keeps beside the row's other columns: the same keys in the same order, so that both are the same bytes.
 */
export const toItem = (
  { defaultColor }: OrganiserKind,
  { id, name, color }: NonNullable<Organiser>,
  assistantsCount = 0,
) => ({ id, name, color: color ?? defaultColor, assistants_count: assistantsCount });

/**
 * SQL expression for the JSON of `toItem`, over the columns of a row: `name_json` is the name as JSON text; colors need
 * no escaping.
 */
export const itemColumn = ({ defaultColor }: OrganiserKind) => {
  const shownColor = `coalesce('"' || color || '"', '${JSON.stringify(defaultColor)}')`;
  return `
  '{"id":' || id::text || ',"name":' || name_json || ',"color":' || ${shownColor}
    || ',"assistants_count":' || assistants_count::text || '}'`;
};
