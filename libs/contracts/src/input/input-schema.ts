import { z } from 'zod';
import type { OperationDefinition } from '../operation.ts';

/**
 * What a service accepts for an operation: path parameters, query and body in one object, with what the body's fields
 * ask of one another. It takes what the gateway read from the URL (ids and pages are numbers by then) and what any other
 * client of the bus sends.
 */
export const inputSchemaOf = (operation: OperationDefinition): z.ZodObject =>
  (operation.body ?? z.object({})).safeExtend({ ...operation.params?.shape, ...operation.query?.shape });
