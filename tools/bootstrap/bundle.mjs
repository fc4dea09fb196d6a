// Puts each program (a service, `parley`) and all that it uses into its folder `bundle`, from the sources. Does nothing
// for those that are up to date. Why: docs/adr/0036-services-run-as-bundles.md.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { checkoutRoot } from './checkout.mjs';

async function bundleProgram(program) {
  const folder = join(program, 'bundle');
  /** Of each file of the bundle, by its path from the checkout, which may be copied, when it was written. */
  const stamp = join(folder, 'made-of.json');
  if (isUpToDate(stamp)) return;
  const bundle = await rolldown({
    input: join(program, 'src', 'main.ts'),
    platform: 'node',
    // Of our own packages the sources, as their manifests call them.
    resolve: { conditionNames: ['source', 'module', 'node'] },
    // Nest's decorators.
    tsconfig: join(checkoutRoot, 'tsconfig.base.json'),
    plugins: [whereItWas(folder), schemasInUse],
    onLog: tell,
  });
  rmSync(folder, { recursive: true, force: true });
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    intro: addresses,
    // V8 keeps the text of a program: twice as much of it where a single character is beyond Latin-1.
    charset: 'ascii',
    comments: { jsdoc: false },
  });
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds).filter(isAbsolute);
  const files = [import.meta.filename, ...modules].map((file) => relative(checkoutRoot, file));
  // Whole or not at all, wherever this ends: a disk may be full.
  writeFileSync(
    `${stamp}.new`,
    JSON.stringify(Object.fromEntries(files.map((file) => [file, writtenAt(file)]))),
  );
  renameSync(`${stamp}.new`, stamp);
}

function isUpToDate(stamp) {
  const files = statSync(stamp, { throwIfNoEntry: false }) && JSON.parse(readFileSync(stamp, 'utf8'));
  return files !== undefined && Object.entries(files).every(([file, at]) => writtenAt(file) === at);
}

const writtenAt = (file) => statSync(join(checkoutRoot, file), { throwIfNoEntry: false })?.mtimeMs;

/** Nest asks for packages that are not there, and goes on without them. */
function tell(level, { code, message }) {
  if (level === 'warn' && code !== 'UNRESOLVED_IMPORT') console.warn(message);
}

/** Before the modules of each file of a bundle: where something is, told by its path from the bundle. */
const addresses = `const __urlOf = (path) => new URL(path, import.meta.url).href;
const __pathOf = (path) => process.getBuiltinModule('node:url').fileURLToPath(__urlOf(path));`;

/** A module finds what is beside it where it was before it was bundled: migrations, pages of a package. */
function whereItWas(folder) {
  const pathTo = (file) =>
    JSON.stringify(relative(folder, file).split(sep).map(encodeURIComponent).join('/'));
  return {
    name: 'where-it-was',
    transform: {
      filter: { code: /\bimport\.meta\.|\b__(dirname|filename)\b/ },
      handler: (code, id) =>
        isAbsolute(id) && {
          code: code
            .replaceAll(/\bimport\.meta\.url\b/g, `__urlOf(${pathTo(id)})`)
            .replaceAll(/\bimport\.meta\.filename\b|\b__filename\b/g, `__pathOf(${pathTo(id)})`)
            .replaceAll(/\bimport\.meta\.dirname\b|\b__dirname\b/g, `__pathOf(${pathTo(dirname(id))})`),
          map: null,
        },
    },
  };
}

/**
 * A program gets the schemas of the contracts that it uses: the bundler would keep them all, since it cannot know that making
 * one does nothing else.
 */
const schemasInUse = {
  name: 'schemas-in-use',
  transform: {
    filter: { id: /\/libs\/contracts\/src\// },
    handler(code) {
      const values = this.parse(code, { lang: 'ts' })
        .body.map((statement) => statement.declaration ?? statement)
        .flatMap(({ declarations = [] }) => declarations)
        .flatMap(({ init }) => init ?? []);
      // From the last to the first: what comes before stays where it is.
      const withPure = values.reduceRight(
        (text, { start, end }) =>
          `${text.slice(0, start)}/* @__PURE__ */ (() => (${text.slice(start, end)}))()${text.slice(end)}`,
        code,
      );
      return { code: withPure, map: null };
    },
  },
};

for (const group of ['services', 'tools'])
  for (const name of readdirSync(join(checkoutRoot, group))) {
    const program = join(checkoutRoot, group, name);
    // A file manager leaves files here, another branch a folder of what it had installed.
    if (existsSync(join(program, 'package.json'))) await bundleProgram(program);
  }
