import { expect, test } from 'vitest';
import { assistantChange } from './assistant-input.ts';

test('what is extracted from a call has each name once', () => {
  const field = (name: string) => ({ name, type: 'bool', description: 'Whether.' });
  const issuesOf = (...names: string[]) =>
    assistantChange.safeParse({ post_call_schema: names.map(field) }).error?.issues;
  expect(issuesOf('agreed', 'called_back')).toBeUndefined();
  expect(issuesOf('agreed', 'called_back', 'agreed')).toMatchObject([
    { path: ['post_call_schema', 2, 'name'], message: expect.stringContaining('duplicate') },
  ]);
});
