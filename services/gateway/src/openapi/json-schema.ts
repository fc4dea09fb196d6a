import type { OpenAPIV3_1 } from 'openapi-types';
import { z } from 'zod';

export type JsonSchema = OpenAPIV3_1.SchemaObject;

/**
 * A zod schema as OpenAPI 3.1 has it: what a caller sends (`input`) or gets (`output`). Left out is what only zod needs:
 * the bounds of safe integers, the patterns behind formats, and that answers hold nothing more (fields may be added).
 */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema, $defs, ...jsonSchema } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    override: ({ zodSchema, jsonSchema }) => {
      if (jsonSchema.format) delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      const { def } = zodSchema._zod;
      if (def.type === 'default') jsonSchema.default = def.defaultValue;
    },
  });
  // The two type the same document differently; the test validates the result as OpenAPI 3.1.
  return ($defs ? withoutDefinitions(jsonSchema) : jsonSchema) as JsonSchema;
}

/** Only what refers to itself gets a definition, and of that the contracts have one: any JSON value. */
function withoutDefinitions(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutDefinitions);
  if (typeof node !== 'object' || node === null) return node;
  if ('$ref' in node) return {};
  return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, withoutDefinitions(child)]));
}
