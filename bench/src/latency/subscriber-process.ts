import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { endOf } from '../http/peer.ts';

const report = z.object({ latenciesMs: z.array(z.number()) });
export type SubscriberReport = z.output<typeof report>;

export interface Subscriber {
  /** How long each event took to its handler, of those handled since the last report. */
  report(): Promise<readonly number[]>;
  stop(): Promise<void>;
}

/** Follows the events of a service in a process of its own; those of one type are reported. */
export async function startSubscriber(natsUrl: string, service: string, type: string): Promise<Subscriber> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'subscriber.js')], {
    env: { ...process.env, NATS_URL: natsUrl, SERVICE: service, EVENT_TYPE: type },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The subscriber ended with ${code}.`);
  });
  // Whoever waits for a report is told; nobody may, when it is stopped.
  ended.catch(() => undefined);
  const nextReport = async (): Promise<readonly number[]> => {
    const [message] = await Promise.race([once(child, 'message'), ended]);
    return report.parse(message).latenciesMs;
  };
  await nextReport();
  return {
    async report() {
      const next = nextReport();
      child.send('report');
      return next;
    },
    stop: () => endOf(child),
  };
}
