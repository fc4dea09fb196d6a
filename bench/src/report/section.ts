import { z } from 'zod';

const column = z.object({
  name: z.string(),
  /** Decimals of the numbers in it; none when absent. */
  digits: z.int().optional(),
});

const table = z.object({
  columns: z.array(column),
  /** `null` where there is nothing to say. */
  rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
});

const chart = z.object({
  /** Part of its file's name. */
  name: z.string(),
  title: z.string(),
  /** What its bars count, with the unit. */
  unit: z.string(),
  bars: z.array(
    z.object({
      /** One small chart for each; one for all when they agree. */
      facet: z.string(),
      group: z.string(),
      series: z.string(),
      value: z.number(),
    }),
  ),
});

const goal = z.object({
  what: z.string(),
  measured: z.string(),
  goal: z.string(),
  isMet: z.boolean(),
});

/** What a group of benchmarks found, ready to be shown: the page is made of these, and nothing else. */
export const sectionSchema = z.object({
  title: z.string(),
  /** Paragraphs: what was compared, and what it does not say. */
  notes: z.array(z.string()),
  tables: z.array(table),
  charts: z.array(chart),
  goals: z.array(goal),
});

export type Section = z.output<typeof sectionSchema>;
export type Table = z.output<typeof table>;
export type Chart = z.output<typeof chart>;
export type Goal = z.output<typeof goal>;

/** A goal that is met by more. */
export const atLeast = (what: string, measured: number, goal: number, unit = ''): Goal => ({
  what,
  measured: shown(measured, unit),
  goal: `at least ${shown(goal, unit)}`,
  isMet: measured >= goal,
});

/** A goal that is met by less. */
export const atMost = (what: string, measured: number, goal: number, unit = ''): Goal => ({
  what,
  measured: shown(measured, unit),
  goal: `at most ${shown(goal, unit)}`,
  isMet: measured <= goal,
});

function shown(value: number, unit: string): string {
  const number = Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toFixed(2)));
  return unit === '' ? number : `${number} ${unit}`;
}
