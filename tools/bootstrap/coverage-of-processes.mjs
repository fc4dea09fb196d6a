import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { mergeScriptCovs } from '@bcoe/v8-coverage';
import { convert } from 'ast-v8-to-istanbul';
import { parseAstAsync } from 'vitest/node';
import { checkoutRoot } from './checkout.mjs';

const build = new RegExp(`^${pathToFileURL(checkoutRoot).href}/(libs|services|tools)/[^/]+/dist/.+\\.js$`);

/**
 * What processes of the build have run, from the files that `NODE_V8_COVERAGE` let them write, as Istanbul tells it of
 * the sources.
 */
export async function coverageOfProcesses(folder) {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const scripts = new Map();
  for (const file of files) {
    for (const script of read(join(folder, file)).filter(({ url }) => build.test(url))) {
      const known = scripts.get(script.url);
      scripts.set(script.url, known ? mergeScriptCovs([known, script]) : script);
    }
  }
  const sources = {};
  for (const script of scripts.values()) Object.assign(sources, await inSources(script));
  return { processes: files.length, sources };
}

/** Nothing of a process that was killed while it wrote. */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).result;
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

async function inSources(coverage) {
  const file = fileURLToPath(coverage.url);
  const code = readFileSync(file, 'utf8');
  const sourceMap = JSON.parse(readFileSync(`${file}.map`, 'utf8'));
  const sources = sourceMap.sources.map((source) => new URL(source, coverage.url).href);
  return convert({ code, ast: parseAstAsync(code), sourceMap: { ...sourceMap, sources }, coverage });
}
