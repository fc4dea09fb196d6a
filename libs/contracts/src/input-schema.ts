import { z } from 'zod';
import type { OperationDefinition } from './operation.ts';

/**
 * What a service accepts for an operation: path parameters, query and body in one object, as the gateway forwards
 * them, that is parsed. On the wire ids and pages are numbers, whatever they were in the URL.
 */
export function inputSchemaOf(operation: OperationDefinition): z.ZodObject {
  const shape: Record<string, z.ZodType> = {};
  for (const part of [operation.params, operation.query, operation.body]) {
    for (const [key, schema] of Object.entries(part?.shape ?? {})) shape[key] = parsedSchemaOf(schema);
  }
  return z.object(shape);
}

/** The schema of what `schema` makes of its input; the same one where it changes nothing. */
function parsedSchemaOf(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodPipe) return parsedSchemaOf(schema.def.out);
  if (schema instanceof z.ZodDefault)
    return parsedSchemaOf(schema.def.innerType).default(schema.def.defaultValue);
  if (schema instanceof z.ZodOptional) return parsedSchemaOf(schema.def.innerType).optional();
  if (schema instanceof z.ZodTransform || !(schema instanceof z.ZodType))
    throw new Error(
      'A transforming schema must end in a schema of its result: `.transform(f).pipe(schema)`.',
    );
  return schema;
}
