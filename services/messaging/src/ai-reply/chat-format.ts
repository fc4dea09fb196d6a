import { Marked, type MarkedToken, type Token, type Tokens } from 'marked';

/**
 * What a language model wrote, which as a rule is Markdown, as WhatsApp shows it: one asterisk for what is bold, no
 * headings, tables or links with a text. What is no Markdown stays as it is, and so does what is marked up for WhatsApp
 * already: `*bold*`, which in Markdown were italic. https://faq.whatsapp.com/539178204879377
 */
export function inChatFormat(markdown: string): string {
  const isTooMuch = (markdown.match(/[*_~[<]/g) ?? []).length > maxMarks || listsInOneLine.test(markdown);
  return isTooMuch ? markdown : blocks(reader.lexer(markdown)).trim();
}

/** More than any text for people has; how long they take to read grows with their square. */
const maxMarks = 1_000;

/** The same: items of lists that begin within one another. */
const listsInOneLine = /(?:(?:[*+-]|\d{1,9}[.)])[ \t]+){20}/;

/** A quote is one in WhatsApp as well; read as lines that begin so. */
const reader = new Marked({ tokenizer: { blockquote: () => undefined } });

/** Without extensions there are no other tokens. */
const known = (tokens: readonly Token[] = []) => tokens as readonly MarkedToken[];

/** What is shown of each, and the blank lines after it. */
const blocks = (tokens: readonly Token[]): string =>
  known(tokens)
    .map((token) => block(token).trimEnd() + (/\n*$/.exec(token.raw)?.[0] ?? ''))
    .join('');

function block(token: MarkedToken): string {
  switch (token.type) {
    case 'heading':
      return bold(inline(token.tokens, true));
    case 'paragraph':
      return inline(token.tokens);
    case 'text':
      return token.tokens ? inline(token.tokens) : token.raw;
    case 'list':
      return token.items.map(listItem).join('\n');
    case 'table':
      return [token.header, ...token.rows].map(tableRow).join('\n');
    case 'code':
      return token.text === '' || token.codeBlockStyle ? token.raw : `\`\`\`\n${token.text}\n\`\`\``;
    default:
      return token.raw;
  }
}

/** With the mark that it has; what it holds beside its first line is indented. */
function listItem({ raw, tokens }: Tokens.ListItem): string {
  const [mark = '-'] = /^\s*(?:[*+-]|\d+[.)])/.exec(raw) ?? [];
  const parts = known(tokens).filter(({ type }) => type !== 'space');
  const text = parts.map((part) => (part.type === 'checkbox' ? part.raw : `${block(part).trimEnd()}\n`));
  const [first = '', ...more] = linesOf(text.join('').trimEnd());
  return [`${mark.trim()} ${first}`, ...more.map((line) => `  ${line}`)].join('\n');
}

const tableRow = (cells: readonly Tokens.TableCell[]): string =>
  cells.map(({ tokens }) => inline(tokens)).join(' | ');

const inline = (tokens: readonly Token[] | undefined, isBold = false): string =>
  known(tokens)
    .map((token) => span(token, isBold))
    .join('');

function span(token: MarkedToken, isBold: boolean): string {
  switch (token.type) {
    case 'strong':
      return isBold ? inline(token.tokens, true) : bold(inline(token.tokens, true));
    case 'em':
      return emphasis(token, isBold);
    case 'del':
      return `~${inline(token.tokens, isBold)}~`;
    case 'link':
      return token.raw === token.text ? token.raw : withAddress(inline(token.tokens, isBold), token.href);
    case 'image':
      return withAddress(token.text, token.href);
    case 'br':
      return '\n';
    case 'escape':
      return token.text;
    case 'html':
      return /^<br\b/i.test(token.raw) ? '\n' : token.raw;
    default:
      return token.raw;
  }
}

function emphasis({ raw, tokens }: Tokens.Em, isBold: boolean): string {
  const isBoth = isBold || known(tokens).some(({ type }) => type === 'strong');
  const mark = isBoth ? '_' : raw.slice(0, 1);
  return `${mark}${inline(tokens, isBold)}${mark}`;
}

const bold = (text: string): string => (text.trim() === '' ? text : `*${text.trim()}*`);

/** The text that a link stands for is lost where it is only its address, or the beginning of that. */
function withAddress(text: string, href: string): string {
  const address = href.replace(/^(mailto|tel):/, '');
  return withoutScheme(address).startsWith(withoutScheme(text)) ? address : `${text} (${address})`;
}

const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, '');

const linesOf = (text: string): readonly string[] => text.split('\n');
