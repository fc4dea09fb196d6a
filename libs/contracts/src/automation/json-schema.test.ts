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
