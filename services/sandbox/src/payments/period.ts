export const intervals = ['day', 'week', 'month', 'year'] as const;

export interface Recurrence {
  readonly interval: (typeof intervals)[number];
  readonly interval_count: number;
}

const daySeconds = 86_400;

/** The end of the `index`th period (1 for the first) after `anchor`, in Unix seconds; short months end earlier. */
export function periodEnd(anchor: number, { interval, interval_count }: Recurrence, index: number): number {
  const count = interval_count * index;
  if (interval === 'day') return anchor + count * daySeconds;
  if (interval === 'week') return anchor + count * 7 * daySeconds;
  return addMonths(anchor, interval === 'month' ? count : count * 12);
}

function addMonths(anchor: number, months: number): number {
  const start = new Date(anchor * 1000);
  const firstOfMonth = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months, 1);
  const month = new Date(firstOfMonth);
  const lastDay = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0)).getUTCDate();
  const day = Math.min(start.getUTCDate(), lastDay);
  return firstOfMonth / 1000 + (day - 1) * daySeconds + (anchor % daySeconds);
}
