import { z } from 'zod';
import type { OperationDefinition } from '../operation.ts';

/**
 * What a service accepts for an operation: path parameters, query and body in one object. It takes what the gateway
 * read from the URL (ids and pages are numbers by then) and what any other client of the bus sends.
 */
export const inputSchemaOf = (operation: OperationDefinition): z.ZodObject =>
  z.object({ ...operation.params?.shape, ...operation.query?.shape, ...operation.body?.shape });
