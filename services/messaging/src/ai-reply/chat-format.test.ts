import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inChatFormat } from './chat-format.ts';

test.each([
  ['bold', 'We are **open**, __really__.', 'We are *open*, *really*.'],
  ['bold and italic', 'a ***very*** **_good_** day', 'a _*very*_ *_good_* day'],
  ['bold within bold', '**a __b__ c**', '*a b c*'],
  ['bold within italic', '*a **b** c*', '_a *b* c_'],
  ['struck', 'for ~~10~~ 8 €', 'for ~10~ 8 €'],
  ['a heading', '## Our **hours**\n\nFrom 9', '*Our hours*\n\nFrom 9'],
  ['a heading of nothing', '#\n\nFrom 9', 'From 9'],
  ['a link', 'Book [here](https://x.example/a_b), please', 'Book here (https://x.example/a_b), please'],
  ['a link that is its address', '[x.example](https://x.example)', 'https://x.example'],
  ['a link that is the start of its address', '[http://x.example](http://x.example/a)', 'http://x.example/a'],
  ['a link without a text', '[](https://x.example)', 'https://x.example'],
  ['a link to write to', 'Ask [us](mailto:a@x.example)', 'Ask us (a@x.example)'],
  [
    'a link that quotes its address',
    '[x.example?of=https://y.example](https://x.example?of=https://y.example/a)',
    'https://x.example?of=https://y.example/a',
  ],
  ['a link to call', '[+4930901820](tel:+4930901820)', '+4930901820'],
  ['an address in angle brackets', '<https://x.example> <a@x.example>', 'https://x.example a@x.example'],
  ['a picture', '![menu](https://x.example/m.png)', 'menu (https://x.example/m.png)'],
  ['a list in a list', '* **A**: 1\n  - B\n* C', '* *A*: 1\n  - B\n* C'],
  ['a numbered list', '3. x\n4. **y**\n   z', '3. x\n4. *y*\n  z'],
  ['a list of many', '10. **x**\n11. y', '10. *x*\n11. y'],
  ['a list of paragraphs', '- x\n\n  y\n- z', '- x\n  y\n- z'],
  ['a list with blank lines', '- x\n\n- y', '- x\n- y'],
  ['a list to tick off', '- [ ] **x**\n- [x] y\n  - z', '- [ ] *x*\n- [x] y\n  - z'],
  ['code', '```js\nx = **1**\n```\n`**y**`', '```\nx = **1**\n```\n`**y**`'],
  ['a quote', '> **so** it\n> is', '> *so* it\n> is'],
  ['a table', '| Plan | Price |\n|---|---|\n| A | **5** |', 'Plan | Price\nA | *5*'],
  ['an escape', '2 \\* 3 = 6', '2 * 3 = 6'],
  ['a break', 'one<br>two  \nthree', 'one\ntwo\nthree'],
])('%s', (_, markdown, shown) => {
  expect(inChatFormat(markdown)).toBe(shown);
});

test.each([
  'Hello Ada,\nyour order A-1001 is on its way.\n\nBye!',
  '*bold*, _italic_, ~struck~ and `code`, as WhatsApp has it',
  '2 * 3 * 4, snake_case_name, a*b*c, 50 %, 10 < 20 & 30 > 20',
  'https://x.example/a_b_c?d=*e*&f=~g~',
  '#1 of 3, 1.5 l, (c) [sic]',
  '- one\n- two\n\n1. three',
  'The table: 20 €\n+ 5 € to bring it\n+ 3 € today',
  'www.x.example/a_b or a@x.example',
  'So:\n\n    x = 1\n\nand so on',
  'Nothing:\n\n```\n```',
])('what is no Markdown, or WhatsApp’s own, stays: %s', (text) => {
  expect(inChatFormat(text)).toBe(text);
});

test('thousands of quotes in one another do no harm', () => {
  const text = '> '.repeat(5_000).trimEnd();
  expect(inChatFormat(text)).toBe(text);
});

test.each(['**', '_*', '*a_', '[', '<', '1. ', '- '])(
  'what has thousands of %s is for nobody, and stays',
  (mark) => {
    const text = `**a**\n${mark.repeat(1_500)}b`;
    expect(inChatFormat(text)).toBe(text);
  },
);

test('what has as many marks as a text for people may have is shown, and with one more it stays', () => {
  const text = `**a** ${'[ '.repeat(996)}b`;
  expect(inChatFormat(text)).toBe(text.replaceAll('**', '*'));
  expect(inChatFormat(`${text} [`)).toBe(`${text} [`);
});

test('words stay in their order, whatever stands around them', () => {
  const mark = fc.constantFrom(
    '*',
    '**',
    '_',
    '__',
    '~~',
    '`',
    '\n',
    '\n\n',
    '# ',
    '- ',
    '> ',
    ' ',
    '1. ',
    '|',
    '```\n',
  );
  const word = fc.constantFrom('open', 'from', 'nine', 'till', 'six');
  fc.assert(
    fc.property(fc.array(fc.oneof(mark, word), { maxLength: 40 }), (parts) => {
      const text = parts.join('');
      // The language of code is not shown.
      fc.pre(!/(```|~~~)[^\n]/.test(text));
      const wordsOf = (from: string) => from.match(/[a-z]+/g) ?? [];
      const shown = inChatFormat(text);
      expect(wordsOf(shown).join('')).toBe(wordsOf(text).join(''));
    }),
  );
});
