import { z } from 'zod';

export type Severity = 'error' | 'warn' | 'info' | 'debug';

/** A log line of a process as it is shown to a person. */
export interface ReadableLine {
  readonly severity: Severity;
  readonly text: string;
}

const structured = z.looseObject({
  level: z.string(),
  msg: z.string().default(''),
  err: z
    .looseObject({
      type: z.string().optional().catch(undefined),
      message: z.string(),
      code: z.string().optional().catch(undefined),
      stack: z.string().optional(),
    })
    .optional(),
});

/** What the system or Postgres reports (`EADDRINUSE`, `53100`): what it says is all there is to know. */
const environmental = /^(E[A-Z0-9]+|(08|28|3D|53|57|58)[0-9A-Z]{3}|25006|42501)$/;

/** Fields that every line has and nobody wants to read on a terminal. */
const repeated = new Set(['level', 'msg', 'err', 'time', 'service', 'pid', 'hostname', 'v']);

/** Our services log JSON; what is not JSON is a crash on its way out, so it counts as an error. */
export function readServiceLine(line: string): ReadableLine {
  const entry = structured.safeParse(parseJson(line)).data;
  if (!entry) return { severity: 'error', text: line };
  const extras = Object.entries(entry)
    .filter(([key]) => !repeated.has(key))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return {
    severity: severityOf(entry.level),
    text: [[entry.msg, ...extras].join(' '), ...causeOf(entry)].join('\n'),
  };
}

/**
 * A fault of ours comes with its stack. One of the machine, or what nats-server says, is a sentence, and so is what is only
 * a warning, because it is tried again: their stacks stay in the log file.
 */
function causeOf({ err, level }: z.output<typeof structured>): readonly string[] {
  if (!err) return [];
  const { code, message, stack = message, type } = err;
  const isOfOthers = type === 'JetStreamApiError' || (code !== undefined && environmental.test(code));
  const isExpected = level === 'warn' || isOfOthers;
  return [isExpected ? message || code || stack : stack];
}

/** Only what endangers Postgres itself is severe: its ERROR lines are answers that the services handle. */
export function readPostgresLine(line: string): ReadableLine {
  const text = line.replace(/^\d{4}-\S+ \S+ \S+ \[\d+\] /, '');
  return { severity: /^PANIC:/.test(text) ? 'error' : 'info', text };
}

export function readNatsLine(line: string): ReadableLine {
  const [, mark = 'INF', text = line] = /\[(INF|WRN|ERR|FTL|DBG|TRC)\] (.*)$/.exec(line) ?? [];
  // The file that the password stands in can be read by its owner alone.
  if (text.startsWith('Plaintext passwords detected')) return { severity: 'info', text };
  const severities: Record<string, Severity> = { ERR: 'error', FTL: 'error', WRN: 'warn' };
  return { severity: severities[mark] ?? 'info', text };
}

function severityOf(level: string): Severity {
  if (level === 'fatal' || level === 'error') return 'error';
  if (level === 'warn' || level === 'info') return level;
  return 'debug';
}

function parseJson(line: string): unknown {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
