import type { AutomationsBenchResults } from './automations/results.ts';
import { atLeast, type Section } from './report/section.ts';

export const automationsSection = ({ runs, figures }: AutomationsBenchResults): Section => ({
  title: 'Automations',
  notes: [
    'Runs started over HTTP by 64 connections, from the first request until the last run has succeeded: at most 3 rounds of at most 2 s of requests. `parley` is started by its webhook through the gateway, one process of the service at work; `dbos` is one process of `@dbos-inc/dbos-sdk` behind Fastify, workflows started directly, with a system database of its own on the same Postgres. Succeeded runs and steps on record are counted as rows.',
    'Steps of `data.map` have no effect: `parley` carries out a row of them before one append that records them all, while DBOS writes one row a step. Steps of `http.request` are one durable write each in both: the outcome of a step, in `parley` with the start of the next, in DBOS alone. They ask a server in the process of the load; `parley` looks where a request goes and sends at most 16 to a host at a time, DBOS has neither.',
    'The timers that wait and the runs that are listed are put into their tables by one SQL statement each. Lateness is from when a delay was due to the time of record of the append that ended it.',
  ],
  tables: [
    {
      columns: [
        ...['flow', 'variant', 'runs/s', 'steps/s'].map((name) => ({ name })),
        { name: 'ratio to dbos', digits: 2 },
      ],
      rows: runs.map(({ flow, variant, runsPerSecond, stepsPerSecond, ratioToDbos }) => [
        ...[flow, variant, Math.round(runsPerSecond), Math.round(stepsPerSecond)],
        Number(ratioToDbos.toFixed(3)),
      ]),
    },
    {
      columns: ['figure', 'measured', 'wanted'].map((name) => ({ name })),
      rows: figures.map(({ figure, value, target }) => [figure, value, target]),
    },
  ],
  charts: [
    {
      name: 'runs',
      title: 'Runs of automations from their start to their end',
      unit: 'runs/s',
      bars: runs.map(({ flow, variant, runsPerSecond }) => ({
        ...{ facet: '', group: flow, series: variant },
        value: Math.round(runsPerSecond),
      })),
    },
  ],
  goals: runs
    .filter(({ variant }) => variant === 'parley')
    .map(({ flow, ratioToDbos }) => atLeast(`automation of ${flow}: ratio to dbos`, ratioToDbos, 1)),
});
