import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const checkout = join(import.meta.dirname, '..', '..', '..');
const documents = globSync(['*.md', 'docs/**/*.md', '{libs,services,tools}/*/README.md'], { cwd: checkout });

/** A source or a folder in backticks, from the root on; patterns (`*`, `{a,b}`) are none. */
const namedPath = /`((?:bench|docs|libs|services|tests|tools)\/[\w./-]*(?:\.ts|\/))`/g;
/** The target of a link within the repository, without its heading. */
const linkTarget = /\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)/g;

test.each(documents)('the files that %s names are there', (document) => {
  const text = readFileSync(join(checkout, document), 'utf8');
  const named = Array.from(text.matchAll(namedPath), ([, path = '']) => path);
  const linked = Array.from(text.matchAll(linkTarget), ([, path = '']) => join(dirname(document), path));
  expect([...named, ...linked].filter((path) => !existsSync(join(checkout, path)))).toEqual([]);
});
