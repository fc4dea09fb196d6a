import { setTimeout as sleep } from 'node:timers/promises';
import type { BusReply } from '@parley/message-bus';

const lookEveryMs = 200;

/**
 * Gives a command, and again for `patienceMs` while the service says that the same one is under way already, as where the
 * gateway died that had given it: most often its answer is there within a moment.
 */
export async function awaitFirst(give: () => Promise<BusReply>, patienceMs: number): Promise<BusReply> {
  const patientUntil = performance.now() + patienceMs;
  for (;;) {
    const reply = await give();
    if (!isUnderWay(reply) || performance.now() + lookEveryMs > patientUntil) return reply;
    await sleep(lookEveryMs);
  }
}

const isUnderWay = (reply: BusReply): boolean =>
  reply.kind === 'rejected' && reply.rejection.code === 'idempotency_in_progress';
