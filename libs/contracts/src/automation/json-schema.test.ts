import { expect, test } from 'vitest';
import { automationJsonSchema } from './json-schema.ts';

const { properties } = Object(automationJsonSchema());

test('the published format wants a step, as saving an automation does', () => {
  expect(properties.steps).toMatchObject({ minItems: 1 });
});

test('the published format says what its fields mean', () => {
  const schedule = properties.trigger.oneOf.find(
    (trigger: { properties: { type: { const: string } } }) => trigger.properties.type.const === 'schedule',
  );
  expect(schedule.properties.cron.description).toContain('Five fields');
});

test('what the published format refers to is there, and is the same from wherever it is referred to', () => {
  const format: object = JSON.parse(JSON.stringify(automationJsonSchema()));
  const { $defs } = Object(format);
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { $ref, $defs: inner } = Object(node);
    if (typeof $ref === 'string') expect($defs, $ref).toHaveProperty([$ref.slice('#/$defs/'.length)]);
    // A pointer begins at the document, not at the schema that brought definitions of its own.
    if (inner !== undefined) expect($defs).toMatchObject(inner);
    Object.values(node).forEach(visit);
  };
  visit(format);
});
