import fc from 'fast-check';
import { z } from 'zod';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** What each property takes in, as far as JSON Schema can say it: refinements in code are left to the caller. */
export function propertyValuesOf(schema: z.ZodObject): Readonly<Record<string, fc.Arbitrary<unknown>>> {
  return Object.fromEntries(
    Object.entries(schema.shape).map(([name, property]) => [
      name,
      valuesOf(z.looseObject({ [name]: property })).map((value) => Object(value)[name]),
    ]),
  );
}

function valuesOf(schema: z.ZodType): fc.Arbitrary<unknown> {
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return valuesOfNode(root, root);
}

function valuesOfNode(node: JsonSchema, root: JsonSchema): fc.Arbitrary<unknown> {
  const within = (child: unknown) => valuesOfNode(Object(child), root);
  if (node.$ref?.startsWith('#/$defs/')) {
    // Only "any JSON" refers to itself here.
    return fc.jsonValue({ maxDepth: 3 });
  }
  if (node.enum) return fc.constantFrom(...node.enum);
  if (node.const !== undefined) return fc.constant(node.const);
  const either = node.anyOf ?? node.oneOf;
  if (either) return fc.oneof(...either.map(within));
  if (Array.isArray(node.type)) return fc.oneof(...node.type.map((type) => within({ ...node, type })));
  switch (node.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({
        min: Math.max(node.minimum ?? Number(node.exclusiveMinimum ?? -2) + 1, -(2 ** 31)),
        max: Math.min(node.maximum ?? 1_000_000, 2 ** 31 - 1),
      });
    case 'number':
      return fc.double({ min: node.minimum ?? -1e6, max: node.maximum ?? 1e6, noNaN: true });
    case 'string':
      return texts(node);
    case 'array':
      return fc.array(within(node.items), {
        minLength: node.minItems ?? 0,
        maxLength: Math.min(node.maxItems ?? 5, 5),
      });
    case 'object':
      return node.properties
        ? fc.record(mapValues(node.properties, within), { requiredKeys: node.required ?? [] })
        : fc.dictionary(fc.string({ minLength: 1, maxLength: 20 }), within(node.additionalProperties), {
            maxKeys: 4,
          });
    default:
      return fc.jsonValue({ maxDepth: 3 });
  }
}

function texts({ format, pattern, minLength = 0, maxLength = 40 }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid();
  if (format === 'uri') return fc.webUrl();
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (pattern) return fc.stringMatching(new RegExp(pattern));
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, 300)) });
}

const mapValues = <V, R>(object: Readonly<Record<string, V>>, change: (value: V) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
