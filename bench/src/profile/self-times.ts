import { z } from 'zod';

/** What is used of a V8 CPU profile. */
export const cpuProfile = z.object({
  nodes: z.array(
    z.object({
      id: z.int(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.int() }),
    }),
  ),
  samples: z.array(z.int()),
  timeDeltas: z.array(z.int()),
});

export type CpuProfile = z.output<typeof cpuProfile>;

export interface SelfTime {
  /** The function with the package or source file it is in. */
  readonly where: string;
  readonly ms: number;
}

const waiting = new Set(['(idle)', '(root)']);
/** What recording itself costs when it begins. */
const recorder = 'node:inspector';

/** Time spent in each function itself, the longest first; waiting and recording are none of it. */
export function selfTimes({ nodes, samples, timeDeltas }: CpuProfile): readonly SelfTime[] {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const micros = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const frame = frames.get(id);
    if (!frame || waiting.has(frame.functionName) || frame.url === recorder) continue;
    const where = `${frame.functionName || '(anonymous)'} ${placeOf(frame)}`.trim();
    // The delta is the time before the sample; what was running then is taken to have run all of it.
    micros.set(where, (micros.get(where) ?? 0) + (timeDeltas[index] ?? 0));
  }
  return [...micros].map(([where, total]) => ({ where, ms: total / 1_000 })).sort((a, b) => b.ms - a.ms);
}

function placeOf({ url, lineNumber }: { readonly url: string; readonly lineNumber: number }): string {
  if (url === '') return '';
  if (url.startsWith('node:')) return url;
  const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url) ?? [];
  if (name !== undefined && name !== '.pnpm') return name;
  const [, source = url] = /\/((?:libs|services|tools|bench)\/.*)$/.exec(url) ?? [];
  return `${source.replace('/dist/', '/src/').replace(/\.js$/, '')}:${lineNumber + 1}`;
}
