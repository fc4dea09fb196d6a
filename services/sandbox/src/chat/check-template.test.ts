import { expect, test } from 'vitest';
import { refusalOfTemplate } from './check-template.ts';

type Template = NonNullable<Parameters<typeof refusalOfTemplate>[0]>;
type Content = Parameters<typeof refusalOfTemplate>[1];

const template = (body_text: string, status = 'approved') => ({ body_text, status }) as Template;
const content = (...components: object[]) =>
  ({ name: 'order', language: { code: 'en' }, components }) as unknown as Content;
const body = (...parameters: object[]) => ({ type: 'BODY', parameters });
const codeOf = (known: Template | null, sent: Content) =>
  (refusalOfTemplate(known, sent)?.body as { error: { code: number } } | undefined)?.error.code ?? null;

test('a template that is not there, or not approved yet, does not exist', () => {
  expect(codeOf(null, content())).toBe(132001);
  expect(codeOf(template('Hi', 'pending'), content())).toBe(132001);
});

test('a body takes as many parameters as it has gaps', () => {
  expect(codeOf(template('Hi {{1}}'), content(body({ text: 'Ada' })))).toBeNull();
  expect(codeOf(template('Hi {{1}}'), content(body()))).toBe(132000);
  expect(codeOf(template('Hi {{1}}'), content({ type: 'body' }))).toBe(132000);
  expect(codeOf(template('Hi'), content({ type: 'header', parameters: [{ text: 'x' }] }))).toBeNull();
  expect(codeOf(template('Hi'), { name: 'order', language: { code: 'en' } } as Content)).toBeNull();
});

test('named gaps take parameters of their names', () => {
  const named = template('Hi {{first_name}}');
  expect(codeOf(named, content(body({ parameter_name: 'first_name', text: 'Ada' })))).toBeNull();
  expect(codeOf(named, content(body({ text: 'Ada' })))).toBe(132012);
});
