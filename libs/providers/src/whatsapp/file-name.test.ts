import { expect, test } from 'vitest';
import { fileNameIn } from './file-name.ts';
import { componentsOf } from './template-gaps.ts';

test.each([
  ['https://a.example/invoices/INV-7.pdf', 'INV-7.pdf'],
  ['https://a.example/7/Angebot%20M%C3%A4rz.docx?signature=a/b.c#2', 'Angebot März.docx'],
  ['https://a.example/100%.pdf', '100%.pdf'],
  ['https://a.example/invoices/7', undefined],
  ['https://a.example/v1.2/', undefined],
  ['https://a.example', undefined],
  ['no link', undefined],
])('the document at %s is called %s', (link, name) => expect(fileNameIn(link)).toBe(name));

const sentWith = (kind: string, link: string) =>
  componentsOf({
    type: 'template',
    name: 'invoice',
    language: 'en',
    category: 'utility',
    format: 'positional',
    parameters: [{ key: `${kind}:header`, value: link }],
  });
const headerOf = (kind: string, sent: object) => [
  { type: 'header', parameters: [{ type: kind, [kind]: sent }] },
];

test('a message says so of a document, and of nothing else', () => {
  const link = 'https://a.example/INV-7.pdf';
  expect(sentWith('document', link)).toEqual(headerOf('document', { link, filename: 'INV-7.pdf' }));
  expect(sentWith('image', link)).toEqual(headerOf('image', { link }));
  const nameless = 'https://a.example/invoices/7';
  expect(sentWith('document', nameless)).toStrictEqual(headerOf('document', { link: nameless }));
});
