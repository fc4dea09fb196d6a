import { expect, test } from 'vitest';
import { refusalOfTemplate } from './check-template.ts';

type Template = NonNullable<Parameters<typeof refusalOfTemplate>[0]>;
type Content = Parameters<typeof refusalOfTemplate>[1];

const template = (body_text: string, extra: Partial<Template> = {}) =>
  ({ body_text, status: 'approved', category: 'utility', components: [], ...extra }) as Template;
const content = (...components: object[]) =>
  ({ name: 'order', language: { code: 'en' }, components }) as unknown as Content;
const body = (...parameters: object[]) => ({
  type: 'BODY',
  parameters: parameters.map((each) => ({ type: 'text', ...each })),
});
const codeOf = (known: Template | null, sent: Content) =>
  (refusalOfTemplate(known, sent)?.body as { error: { code: number } } | undefined)?.error.code ?? null;

test('a template that is not there, or not approved yet, does not exist', () => {
  expect(codeOf(null, content())).toBe(132001);
  expect(codeOf(template('Hi', { status: 'pending' }), content())).toBe(132001);
});

test('a body takes as many parameters as it has gaps', () => {
  expect(codeOf(template('Hi {{1}}'), content(body({ text: 'Ada' })))).toBeNull();
  expect(codeOf(template('Hi {{1}}'), content(body()))).toBe(132000);
  expect(codeOf(template('Hi {{1}}'), content({ type: 'body' }))).toBe(132000);
  expect(codeOf(template('Hi'), content({ type: 'header', parameters: [{ text: 'x' }] }))).toBeNull();
  expect(codeOf(template('Hi'), { name: 'order', language: { code: 'en' } } as Content)).toBeNull();
});

test.each(['a\nb', 'a\r\nb', 'a\tb', 'a     b'])(
  'the text %j goes into no gap, wherever that is',
  (broken) => {
    const linked = template('Hi {{1}}', {
      components: [
        { type: 'HEADER', format: 'TEXT', text: 'For {{1}}' },
        { type: 'BUTTONS', buttons: [{ type: 'URL', url: 'https://a/{{1}}' }] },
      ],
    });
    const sent = (inHeader: string, inBody: string, inButton: string) =>
      content(
        { type: 'header', parameters: [{ type: 'text', text: inHeader }] },
        body({ text: inBody }),
        button(0, { type: 'text', text: inButton }),
      );
    expect(codeOf(linked, sent('a    b', 'a    b', 'a'))).toBeNull();
    for (const refused of [sent(broken, 'a', 'a'), sent('a', broken, 'a'), sent('a', 'a', broken)])
      expect(codeOf(linked, refused)).toBe(132018);
  },
);

test('named gaps take parameters of their names', () => {
  const named = template('Hi {{first_name}}');
  expect(codeOf(named, content(body({ parameter_name: 'first_name', text: 'Ada' })))).toBeNull();
  expect(codeOf(named, content(body({ text: 'Ada' })))).toBe(132012);
});

const button = (index: number, ...parameters: object[]) => ({
  type: 'button',
  sub_type: 'url',
  index,
  parameters,
});
const text = { type: 'text', text: 'x' };

test('an authentication template takes its code in its button as well', () => {
  const otp = template('{{1}} is your code', { category: 'authentication' });
  expect(codeOf(otp, content(body({ text: '4711' })))).toBe(131008);
  expect(codeOf(otp, content(body({ text: '4711' }), button(0, text)))).toBeNull();
});

test('a link with a gap, a code to copy, a flow, a header with one or with a picture want their parameters', () => {
  const url = (address: string) => ({ type: 'URL', url: address });
  const linked = template('Hi', {
    components: [{ type: 'BUTTONS', buttons: [url('https://a'), url('https://a/{{1}}')] }],
  });
  expect(codeOf(linked, content())).toBe(131008);
  expect(codeOf(linked, content(button(0, text)))).toBe(131008);
  expect(codeOf(linked, content(button(1, text)))).toBeNull();
  const coupon = template('Hi', { components: [{ type: 'BUTTONS', buttons: [{ type: 'COPY_CODE' }] }] });
  expect(codeOf(coupon, content(button(0, text)))).toBe(131008);
  expect(codeOf(coupon, content(button(0, { type: 'coupon_code', coupon_code: '25OFF' })))).toBeNull();
  const flow = template('Hi', { components: [{ type: 'BUTTONS', buttons: [{ type: 'FLOW' }] }] });
  expect(codeOf(flow, content())).toBe(131008);
  expect(codeOf(flow, content(button(0, { type: 'action', action: {} })))).toBeNull();
  const headed = template('Hi', { components: [{ type: 'HEADER', format: 'TEXT', text: 'For {{1}}' }] });
  expect(codeOf(headed, content())).toBe(132012);
  expect(codeOf(headed, content({ type: 'header', parameters: [text] }))).toBeNull();
  const pictured = template('Hi', { components: [{ type: 'HEADER', format: 'IMAGE' }] });
  expect(codeOf(pictured, content({ type: 'header', parameters: [text] }))).toBe(132012);
  expect(codeOf(pictured, content({ type: 'header', parameters: [{ type: 'image' }] }))).toBeNull();
  const plain = template('Hi', { components: [{ type: 'HEADER', format: 'TEXT', text: 'News' }] });
  expect(codeOf(plain, content())).toBeNull();
});
