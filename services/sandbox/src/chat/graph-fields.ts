/** Reads Graph's `fields` parameter, nested selections included: `id,phone_numbers.limit(100){id,verified_name}`. */
function parseFields(text: string): ReadonlyMap<string, string | null> {
  const fields = new Map<string, string | null>();
  for (const part of splitTopLevel(text)) {
    const brace = part.indexOf('{');
    if (brace < 0) fields.set(part, null);
    else {
      const name = part.slice(0, brace).replace(/\.limit\(\d+\)$/, '');
      fields.set(name, part.slice(brace + 1, part.lastIndexOf('}')));
    }
  }
  return fields;
}

function splitTopLevel(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const character of text) {
    if (character === '{') depth += 1;
    if (character === '}') depth -= 1;
    if (character === ',' && depth === 0) {
      parts.push(part.trim());
      part = '';
    } else part += character;
  }
  return [...parts, part.trim()].filter((name) => name !== '');
}

/** A node with the fields asked for, `id` always among them; edges (`{data: […]}`) follow nested selections. */
export function selectFields(
  node: Readonly<Record<string, unknown>>,
  text: string | null,
  defaults: readonly string[],
): Record<string, unknown> {
  const fields = text ? parseFields(text) : new Map(defaults.map((name) => [name, null]));
  const selected: Record<string, unknown> = {};
  for (const [name, nested] of fields) {
    if (!Object.hasOwn(node, name)) continue;
    const value = node[name];
    selected[name] = nested !== null && isEdge(value) ? narrowEdge(value, nested) : value;
  }
  return { ...selected, id: node.id };
}

interface Edge {
  readonly data: readonly Readonly<Record<string, unknown>>[];
}

const isEdge = (value: unknown): value is Edge =>
  typeof value === 'object' && value !== null && 'data' in value && Array.isArray(value.data);

const narrowEdge = (edge: Edge, fields: string) => ({
  ...edge,
  data: edge.data.map((node) => selectFields(node, fields, [])),
});
