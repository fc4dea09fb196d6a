import { expect, test } from 'vitest';
import { createCampaign } from './campaigns.ts';

test('a new campaign maps at most 200 variables', () => {
  const mappingOf = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`name ${index}`, 'note']));
  const errorOf = (count: number) =>
    createCampaign.body.safeParse({ name: 'Spring', channel: 'call', variable_mapping: mappingOf(count) })
      .error?.issues[0]?.message;
  expect(errorOf(200)).toBeUndefined();
  expect(errorOf(201)).toBe('The :attribute field must not have more than 200 items.');
});
