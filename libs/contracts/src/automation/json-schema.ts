import { z } from 'zod';
import { automationActionConnections, automationActionInputs, automationActionTypes } from './actions.ts';
import { automationDefinition } from './format.ts';

type Schema = Record<string, unknown>;

/** Where a value is expected, a text with a template may stand. */
const template: Schema = {
  type: 'string',
  pattern: '\\{\\{[\\s\\S]*\\}\\}',
  description: "A template, for example {{trigger.customer_phone | default: ''}}.",
};

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every value inside an input may be a template instead. */
function templated(schema: Schema): Schema {
  const { properties, additionalProperties } = schema;
  return {
    ...schema,
    ...(isSchema(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, child]) => [name, orTemplate(isSchema(child) ? child : {})]),
      ),
    }),
    ...(isSchema(additionalProperties) && { additionalProperties: orTemplate(additionalProperties) }),
  };
}

const orTemplate = (schema: Schema): Schema => ({
  anyOf: [templated(schema), { $ref: '#/$defs/template' }],
});

const inputSchema = (type: (typeof automationActionTypes)[number]): Schema => {
  const { $schema: _, ...schema } = z.toJSONSchema(automationActionInputs[type], {
    io: 'input',
    unrepresentable: 'any',
  });
  return templated(schema);
};

/** The published JSON Schema of a definition (`/schemas/automation.json`), each action with its own input. */
export function automationJsonSchema(): Schema {
  const { $defs, ...root } = z.toJSONSchema(automationDefinition, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
  }) as Schema;
  const defs = isSchema($defs) ? $defs : {};
  const { oneOf, ...step } = isSchema(defs.step) ? defs.step : {};
  const variants = (Array.isArray(oneOf) ? oneOf : []).filter(isSchema).flatMap(eachAction);
  return {
    ...root,
    $id: '/schemas/automation.json',
    $defs: { ...defs, template, step: { ...step, oneOf: variants } },
  };
}

/** The one variant that stands for all actions becomes one for each of them. */
function eachAction(variant: Schema): readonly Schema[] {
  const properties = isSchema(variant.properties) ? variant.properties : {};
  if (!isSchema(properties.type) || properties.type.enum === undefined) return [variant];
  return automationActionTypes.map((type) => ({
    ...variant,
    properties: { ...properties, type: { const: type }, input: inputSchema(type) },
    required: ['id', 'type', ...requiredBy(type)],
  }));
}

function requiredBy(type: (typeof automationActionTypes)[number]): readonly string[] {
  const needsInput = !automationActionInputs[type].safeParse({}).success;
  const needsConnection = automationActionConnections[type].need === 'required';
  return [...(needsInput ? ['input'] : []), ...(needsConnection ? ['connection'] : [])];
}
