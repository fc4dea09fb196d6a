import { z } from 'zod';

/** What two operands are compared by; either may be a template. */
export const binaryOperators = [
  'eq',
  'ne',
  'contains',
  'not_contains',
  'starts_with',
  'not_starts_with',
  'ends_with',
  'not_ends_with',
  'gt',
  'gte',
  'lt',
  'lte',
  'before',
  'after',
  'in',
  'not_in',
] as const;

/** What is asked of `left` alone. */
export const unaryOperators = [
  'exists',
  'not_exists',
  'is_empty',
  'is_not_empty',
  'is_true',
  'is_false',
] as const;

/** How many conditions `all` or `any` may hold. */
export const maxConditions = 50;

const binary = z.strictObject({
  op: z.enum(binaryOperators),
  left: z.json(),
  right: z.json(),
  ignore_case: z.boolean().optional().describe('Of texts; false when absent.'),
});
const unary = z.strictObject({ op: z.enum(unaryOperators), left: z.json() });

export type AutomationCondition =
  | z.output<typeof binary>
  | z.output<typeof unary>
  | { readonly all: readonly AutomationCondition[] }
  | { readonly any: readonly AutomationCondition[] }
  | { readonly not: AutomationCondition };

/** Closed operators over templates: no expression language, so nothing to escape from and nothing that runs long. */
export const automationCondition: z.ZodType<AutomationCondition> = z
  .lazy(() =>
    z.union([
      binary,
      unary,
      z.strictObject({ all: z.array(automationCondition).min(1).max(maxConditions) }),
      z.strictObject({ any: z.array(automationCondition).min(1).max(maxConditions) }),
      z.strictObject({ not: automationCondition }),
    ]),
  )
  .meta({ id: 'condition' });
