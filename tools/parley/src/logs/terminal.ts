import { styleText } from 'node:util';
import type { ReadableLine, Severity } from './log-line.ts';

const prefixColors = ['cyan', 'magenta', 'blue', 'green', 'cyanBright', 'magentaBright'] as const;
const ranks: Record<Severity, number> = { debug: 0, info: 1, warn: 2, error: 3 };

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
  /** Names get a column of this width. */
  readonly nameWidth: number;
}

export function createTerminal({ stream, leastSeverity, nameWidth }: TerminalOptions): Terminal {
  const colors = new Map<string, (typeof prefixColors)[number]>();
  const held: string[] = [];
  let isHeld = false;

  const write = (line: string) => {
    if (isHeld) held.push(line);
    else stream.write(`${line}\n`);
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
      for (const line of prefixLines(name.padEnd(nameWidth), text)) {
        const [prefix, content] = line;
        const painted =
          severity === 'error'
            ? paint('red', content)
            : severity === 'warn'
              ? paint('yellow', content)
              : content;
        write(`${paint(colorOf(name), prefix)} ${painted}`);
      }
    },
    hold() {
      isHeld = true;
    },
    release() {
      isHeld = false;
      for (const line of held.splice(0)) stream.write(`${line}\n`);
    },
  };

  function paint(color: Parameters<typeof styleText>[0], text: string): string {
    return styleText(color, text, { stream });
  }
}

/** Each line of a text after the prefix, so that a stack trace still shows whose it is. */
export const prefixLines = (name: string, text: string): readonly (readonly [string, string])[] =>
  text.split('\n').map((line) => [`${name} │`, line] as const);
