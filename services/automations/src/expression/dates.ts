import type { JsonValue } from '../json.ts';

const instantText = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** ISO 8601; what names no offset is UTC. Undefined for everything else. */
export function parseInstant(value: JsonValue | undefined): Date | undefined {
  if (typeof value !== 'string' || value.length > 40 || !instantText.test(value)) return undefined;
  const hasOffset = /(Z|[+-]\d\d:?\d\d)$/.test(value.slice(10));
  const hasTime = value.length > 10;
  const instant = new Date(hasTime && !hasOffset ? `${value.replace(' ', 'T')}Z` : value.replace(' ', 'T'));
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Making one costs far more than using it; there are a few hundred zones. */
function formatterOf(timezone: string): Intl.DateTimeFormat {
  const known = formatters.get(timezone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  formatters.set(timezone, made);
  return made;
}

const fields: Readonly<Record<string, Intl.DateTimeFormatPartTypes>> = {
  yyyy: 'year',
  MM: 'month',
  dd: 'day',
  HH: 'hour',
  mm: 'minute',
  ss: 'second',
};

/** `yyyy`, `MM`, `dd`, `HH`, `mm` and `ss` in the time zone; everything else stands for itself. */
export function formatDate(instant: Date, pattern: string, timezone: string): string {
  const parts = new Map(
    formatterOf(timezone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  return pattern.replace(/yyyy|MM|dd|HH|mm|ss/g, (field) => {
    const type = fields[field];
    return (type && parts.get(type)) ?? field;
  });
}
