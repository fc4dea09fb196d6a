import { runAppendBench } from './append/append.ts';
import { appendSection } from './append/section.ts';
import { assistantsText, startAssistants } from './assistants/assistants.ts';
import { runAutomationsBench } from './automations/automations-bench.ts';
import { automationsSection } from './automations-section.ts';
import { foldersText, startFolders } from './folders/folders.ts';
import { runMemoryBench } from './footprint/memory.ts';
import { runStartUpBench } from './footprint/start-up.ts';
import { runHttpBench } from './http/compare.ts';
import type { HttpStart } from './http/contender.ts';
import { type HttpSectionText, httpSection } from './http/http-section.ts';
import { runEventsBench } from './latency/events.ts';
import { runWebhooksBench } from './latency/webhooks.ts';
import { leadsText, startLeads } from './leads/leads.ts';
import { runRebuildBench } from './rebuild/rebuild-bench.ts';
import { rebuildSection } from './rebuild-section.ts';
import type { Section } from './report/section.ts';
import { runsText, startRunLists } from './runs/runs.ts';
import { sendText, startSends } from './send/send.ts';

export interface GroupSettings {
  readonly isQuick: boolean;
  readonly rounds: number;
  readonly durationMs: number;
}

export interface Group {
  run(settings: GroupSettings): Promise<Section>;
  /** For groups that are asked over HTTP: what to start for profiles. */
  readonly http?: HttpStart;
}

const httpGroup = (text: HttpSectionText, start: HttpStart): Group => ({
  http: start,
  run: async ({ rounds, durationMs }) =>
    httpSection(text, await runHttpBench(start, { rounds, durationMs, connections: [64, 16, 1] })),
});

/** In the order in which they run and are shown. */
export const groups: Readonly<Record<string, Group>> = {
  append: {
    run: async ({ rounds, durationMs }) =>
      appendSection(await runAppendBench({ rounds, durationMs, concurrency: 32 })),
  },
  folders: httpGroup(foldersText, startFolders),
  leads: httpGroup(leadsText, startLeads),
  send: httpGroup(sendText, startSends),
  assistants: httpGroup(assistantsText, startAssistants),
  runs: httpGroup(runsText, startRunLists),
  events: { run: runEventsBench },
  webhooks: { run: runWebhooksBench },
  automations: {
    run: async ({ isQuick, rounds, durationMs }) =>
      automationsSection(
        await runAutomationsBench({
          rounds: Math.min(rounds, 3),
          durationMs: Math.min(durationMs, 2_000),
          rows: isQuick ? 10_000 : 1_000_000,
        }),
      ),
  },
  rebuild: {
    run: async ({ isQuick }) =>
      rebuildSection(await runRebuildBench(isQuick ? [10_000] : [100_000, 1_000_000])),
  },
  'start-up': { run: ({ isQuick }) => runStartUpBench(isQuick ? 1 : 3) },
  memory: { run: ({ isQuick }) => runMemoryBench(isQuick ? 3_000 : 10_000) },
};
