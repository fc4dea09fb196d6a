import { formatCount } from './table.ts';
import { formatDuration } from './time.ts';

export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly elapsedMs: number;
}

/** `[########--------]  50 %  5,000/10,000 events  12,000/s  1 s left` */
export function renderProgress({ done, total, elapsedMs }: Progress, barWidth = 24): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.round(share * barWidth);
  const perSecond = elapsedMs > 0 ? (done / elapsedMs) * 1000 : 0;
  const parts = [
    `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}]`,
    `${Math.floor(share * 100)} %`.padStart(5),
    `${formatCount(done)}/${formatCount(total)} events`,
  ];
  if (perSecond > 0) parts.push(`${formatCount(perSecond)}/s`);
  if (perSecond > 0 && done < total)
    parts.push(`${formatDuration(((total - done) / perSecond) * 1000)} left`);
  return parts.join('  ');
}

/** Draws over one line of a terminal; elsewhere writes a line now and then. */
export interface ProgressLine {
  show(progress: Omit<Progress, 'elapsedMs'>): void;
  /** Takes the line away again (on a terminal). */
  clear(): void;
}

const quietLineEveryMs = 5_000;

export function startProgressLine(label: string, stream: NodeJS.WriteStream): ProgressLine {
  const startedAt = performance.now();
  let lastLineAt = startedAt;
  return {
    show({ done, total }) {
      const now = performance.now();
      const text = `${label}  ${renderProgress({ done, total, elapsedMs: now - startedAt })}`;
      if (stream.isTTY) stream.write(`\r\x1b[2K${text.slice(0, stream.columns - 1)}`);
      else if (now - lastLineAt >= quietLineEveryMs) {
        lastLineAt = now;
        stream.write(`${text}\n`);
      }
    },
    clear() {
      if (stream.isTTY) stream.write('\r\x1b[2K');
    },
  };
}
