import { styleText } from 'node:util';
import { countOf } from '../output/table.ts';
import type { ReadableLine, Severity } from './log-line.ts';

const prefixColors = ['cyan', 'magenta', 'blue', 'green', 'cyanBright', 'magentaBright'] as const;
const ranks: Record<Severity, number> = { debug: 0, info: 1, warn: 2, error: 3 };

/** Of what the terminal has not taken yet: the log files have all of it. */
const maxWaitingBytes = 1024 * 1024;

/** Where the supervisor's own lines and the louder lines of its processes go. */
export interface Terminal {
  /** A line of the supervisor itself. */
  say(line: string): void;
  /** A line of one process, after its name; shown when it is severe enough. */
  log(name: string, line: ReadableLine): void;
  /** Keeps lines back while something else draws on the terminal. */
  hold(): void;
  release(): void;
}

export interface TerminalOptions {
  readonly stream: NodeJS.WriteStream;
  readonly leastSeverity: Severity;
  /** Width of the column of process names. */
  readonly nameWidth: number;
  /** The time of day to show. */
  readonly clock?: () => string;
}

export function createTerminal({
  stream,
  leastSeverity,
  nameWidth,
  clock = timeOfDay,
}: TerminalOptions): Terminal {
  const colors = new Map<string, (typeof prefixColors)[number]>();
  const held: string[] = [];
  let isHeld = false;
  let leftOut = 0;

  const show = (line: string) => {
    if (stream.writableLength > maxWaitingBytes) {
      leftOut += 1;
      return;
    }
    if (leftOut > 0) stream.write(`${countOf(leftOut, 'line')} not shown here; the log files have all.\n`);
    leftOut = 0;
    stream.write(`${line}\n`);
  };
  const write = (line: string) => {
    if (isHeld) held.push(line);
    else show(line);
  };
  const colorOf = (name: string) => {
    const known = colors.get(name);
    if (known) return known;
    const next = prefixColors[colors.size % prefixColors.length] ?? 'cyan';
    colors.set(name, next);
    return next;
  };

  return {
    say: write,
    log(name, { severity, text }) {
      if (ranks[severity] < ranks[leastSeverity]) return;
      const prefix = `${paint('dim', clock())} ${paint(colorOf(name), `${name.padEnd(nameWidth)} │`)}`;
      for (const line of text.split('\n')) write(`${prefix} ${highlight(severity, harmless(line))}`);
    },
    hold() {
      isHeld = true;
    },
    release() {
      isHeld = false;
      for (const line of held.splice(0)) show(line);
    },
  };

  function highlight(severity: Severity, text: string): string {
    if (severity === 'error') return paint('red', text);
    return severity === 'warn' ? paint('yellow', text) : text;
  }

  function paint(style: Parameters<typeof styleText>[0], text: string): string {
    return styleText(style, text, { stream });
  }
}

/** What others have written may be in a line: nothing in it moves the cursor, rings, or turns the text around. */
const harmless = (text: string): string =>
  text.replaceAll(/(?!\t)[\p{Cc}\p{Bidi_Control}]/gu, (found) => {
    const code = found.charCodeAt(0).toString(16);
    return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`;
  });

const timeOfDay = (): string => new Date().toTimeString().slice(0, 8);
