import { setTimeout as sleep } from 'node:timers/promises';
import type { BusReply } from '@parley/message-bus';

const lookEveryMs = 200;

/**
 * Sends a command, and sends it again for up to `patienceMs` while the service says that the same command is still
 * running, as when the gateway that sent it first died: its answer is usually there soon.
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
