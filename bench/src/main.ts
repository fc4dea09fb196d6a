import { parseArgs } from 'node:util';
import { runAppendBench } from './append.ts';
import { runAssistantsBench } from './assistants/assistants-bench.ts';
import { runAutomationsBench } from './automations/automations-bench.ts';
import { runHttpBench } from './http/http-bench.ts';
import { runRebuildBench } from './rebuild/rebuild-bench.ts';
import { writeReport } from './report.ts';
import { runSendBench } from './send/send-bench.ts';

/**
 * `npm run bench`: every group side by side with its peers, in interleaved rounds; prints the tables and, with
 * `--write`, puts them into docs/benchmarks.md. `--seconds` is the length of a run (3); `--quick` is one short round to
 * see that everything runs; `--only` names groups: append, http, send, assistants, automations, rebuild (`http,send`).
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    only: { type: 'string' },
    seconds: { type: 'string', default: '3' },
  },
});

const rounds = values.quick ? 1 : 5;
const durationMs = values.quick ? 1_000 : Number(values.seconds) * 1_000;
const wanted = values.only?.split(',');
const isWanted = (group: string) => wanted?.includes(group) ?? true;

const append = isWanted('append') ? await runAppendBench({ rounds, durationMs, concurrency: 32 }) : [];
const http = isWanted('http') ? await runHttpBench({ rounds, durationMs, connections: [64, 16, 1] }) : [];
const send = isWanted('send') ? await runSendBench({ rounds, durationMs, connections: [64, 16, 1] }) : [];
const assistants = isWanted('assistants')
  ? await runAssistantsBench({ rounds, durationMs, connections: [16, 1] })
  : [];
const automations = isWanted('automations')
  ? await runAutomationsBench({
      rounds: Math.min(rounds, 3),
      durationMs: Math.min(durationMs, 2_000),
      rows: values.quick ? 10_000 : 1_000_000,
    })
  : { runs: [], figures: [] };
const rebuild = isWanted('rebuild')
  ? await runRebuildBench(values.quick ? [10_000] : [100_000, 1_000_000])
  : [];
await writeReport({ append, http, send, assistants, automations, rebuild, rounds, durationMs }, values.write);
