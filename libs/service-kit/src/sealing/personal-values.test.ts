import { expect, test } from 'vitest';
import { numbersIn, personalParts, put, standInOf, withoutPerson } from './personal-values.ts';

const ada = '+491701234567';
const bob = '+14155552671';

test('a payload is split by whom it belongs to', () => {
  const lead = {
    phone_number: ada,
    variables: { name: 'Ada' },
    secondary_contacts: [{ id: 1, phone_number: bob, variables: {} }],
  };
  const ofEach = { subject: 'phone_number', fields: ['phone_number', 'variables'] };
  expect(personalParts(lead, { ...ofEach, each: { secondary_contacts: ofEach } })).toEqual([
    {
      subject: ada,
      values: [
        { path: ['phone_number'], value: ada, isWhole: true },
        { path: ['variables'], value: { name: 'Ada' }, isWhole: true },
      ],
    },
    {
      subject: bob,
      values: [{ path: ['secondary_contacts', 0, 'phone_number'], value: bob, isWhole: true }],
    },
  ]);
});

test('what is empty, and words that mention nobody, belong to nobody', () => {
  const data = { text: '', name: null, list: [], reason: 'No answer.' };
  expect(personalParts(data, { fields: ['text', 'name', 'list'], mentions: ['reason'] })).toEqual([]);
});

test('whose a text is can be in the text', () => {
  const body = JSON.stringify({ customer_phone: ada });
  expect(personalParts({ body }, { subjectIn: ['body', 'customer_phone'], fields: ['body'] })).toMatchObject([
    { subject: ada },
  ]);
  const part = personalParts({ body: '{' }, { subjectIn: ['body', 'customer_phone'], fields: ['body'] });
  expect(part).toMatchObject([{ subject: '' }]);
});

test('numbers are found in words, each once, and not in longer ones', () => {
  expect(numbersIn(`${ada}, then ${bob} and ${ada}; not +1234567890123456`)).toEqual([ada, bob]);
});

test('customers who hide their number are found by what the chat platform calls them', () => {
  const hidden = 'US.13491208655302741918';
  expect(numbersIn(`AI reply to ${hidden}.`)).toEqual([hidden]);
  expect(numbersIn(`permission-7:${hidden}`)).toEqual([hidden]);
  expect(numbersIn(`Write to x@MAIL.ExampleExample, the US.Army or U.S.13491208655302741918`)).toEqual([]);
});

test.each(['\n', '\t', '\r\n', '\u0001', '\f', '"', '\\'])(
  'customers who hide their number are found behind %j, also in the JSON of a text, or in JSON in it',
  (before) => {
    const hidden = 'US.13491208655302741918';
    const data = { reason: `Refused:${before}${hidden}` };
    expect(personalParts(data, { mentions: ['reason'] })).toMatchObject([{ values: [{ path: ['reason'] }] }]);
    const text = JSON.stringify(data);
    for (const each of [data.reason, text, JSON.stringify({ text })])
      expect(numbersIn(each)).toEqual([hidden]);
  },
);

test.each([
  [ada, 'erased:1'],
  ['Ada', '[erased]'],
  [[1], []],
  [{ a: 1 }, {}],
])('%j becomes %j without the person', (value, left) => {
  const nameOf = (number: string) => (number === ada ? standInOf('1') : undefined);
  expect(withoutPerson({ path: [], value, isWhole: true }, nameOf)).toEqual(left);
});

test('words lose the numbers they mention and stay', () => {
  const value = { path: [], value: [{ message: `To ${ada}.`, row: 1 }], isWhole: false };
  expect(withoutPerson(value, () => 'erased:1')).toEqual([{ message: 'To erased:1.', row: 1 }]);
});

test('a value is put deep into a payload', () => {
  const data = { list: [{ a: 1 }, { a: 2 }], b: 1 };
  put(data, ['list', 1, 'a'], 3);
  put(data, ['b'], 4);
  expect(data).toEqual({ list: [{ a: 1 }, { a: 3 }], b: 4 });
});

test('what is no list or object has nothing of anybody in it', () => {
  const ofEach = { each: { contacts: { subject: 'phone', fields: ['phone'] } } };
  expect(personalParts({ contacts: [ada, null] }, ofEach)).toEqual([]);
  expect(personalParts({ contacts: ada }, ofEach)).toEqual([]);
  for (const body of [null, 7, JSON.stringify([ada])])
    expect(
      personalParts({ body, phone: ada }, { subjectIn: ['body', 'phone'], fields: ['phone'] }),
    ).toMatchObject([{ subject: '' }]);
});

test('a name that stands for an erased person stays, any other text of the person goes', () => {
  const text = (value: string, isWhole = true) =>
    withoutPerson({ path: ['text'], value, isWhole }, () => undefined);
  expect(text(standInOf('key-1'))).toBe('erased:key-1');
  expect(text('Ada')).toBe('[erased]');
  expect(text(`Call ${ada}.`, false)).toBe('Call [erased].');
  expect(text('Call +none.', false)).toBe('Call +none.');
  expect(numbersIn('+none')).toEqual([]);
});
