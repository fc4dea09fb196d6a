import type { OpenAPIV3_1 } from 'openapi-types';
import { z } from 'zod';

export type JsonSchema = OpenAPIV3_1.SchemaObject;
type Io = 'input' | 'output';

/**
 * A zod schema as OpenAPI 3.1, for what a caller sends (`input`) or gets (`output`). It leaves out what only zod
 * needs: the bounds of safe integers, the patterns behind formats, and that answers have no other fields (some may
 * be added).
 */
export const toJsonSchema = (schema: z.ZodType, io: Io): JsonSchema => convert(schema, io).schema;

/**
 * The schemas with a name (`id`) inside a schema, by name: `toJsonSchema` refers to them as components of the
 * document.
 */
export const namedSchemasIn = (schema: z.ZodType, io: Io): Readonly<Record<string, JsonSchema>> =>
  convert(schema, io).named;

function convert(zodSchema: z.ZodType, io: Io) {
  const {
    $schema,
    $defs = {},
    ...schema
  } = z.toJSONSchema(zodSchema, {
    io,
    target: 'draft-2020-12',
    override: ({ zodSchema, jsonSchema }) => {
      if (jsonSchema.format) delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      const { def } = zodSchema._zod;
      if (def.type === 'default') jsonSchema.default = def.defaultValue;
      if (def.type === 'nullable') describeAsInner(jsonSchema, def.innerType);
    },
  });
  const named = Object.entries($defs).filter(([name]) => !isUnnamed(name));
  // The two type the same document differently; the test validates the result as OpenAPI 3.1.
  return {
    schema: withReferences(schema) as JsonSchema,
    named: Object.fromEntries(
      named.map(([name, { id, ...its }]) => [name, withReferences(its) as JsonSchema]),
    ),
  };
}

/** What is said of a value is said of the field that may be null instead: readers show it there. */
function describeAsInner(nullable: z.core.JSONSchema.BaseSchema, innerType: z.core.$ZodType): void {
  const [inner] = nullable.anyOf ?? [];
  const description = z.globalRegistry.get(innerType)?.description;
  if (typeof inner !== 'object' || description === undefined) return;
  nullable.description ??= description;
  // Several fields may share it, so it may be gone already.
  delete inner.description;
}

const definitions = '#/$defs/';
/**
 * Whether zod made the name up, for a recursive schema without an `id`. The contracts have one such schema, any
 * JSON value.
 */
const isUnnamed = (name: string): boolean => name.startsWith('__schema');

function withReferences(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withReferences);
  if (typeof node !== 'object' || node === null) return node;
  if ('$ref' in node) {
    const { $ref, ...beside } = node;
    const name = String($ref).slice(definitions.length);
    return isUnnamed(name) ? beside : { $ref: `#/components/schemas/${name}`, ...beside };
  }
  return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, withReferences(child)]));
}
