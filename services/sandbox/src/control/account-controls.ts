import { formatMicros, parseMicros, setBalance } from '@parley/contracts';
import { type BusClient, isUnanswered } from '@parley/message-bus';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { operatorRequest } from '../bus/operator-request.ts';
import { controlRoute, done, refused } from './control-route.ts';

const balance = z.object({
  email: z.email(),
  total_balance: z
    .string()
    .transform(parseMicros)
    .refine((micros) => micros !== null && micros >= 0, {
      error: 'The total balance field must be a decimal string such as "12.50".',
    })
    .pipe(z.int()),
});

/** Sets an account's balance through the platform's own ledger (decisions, section 8 "Balance in a sandbox stack"). */
export function registerAccountControls(app: FastifyInstance, bus: BusClient): void {
  controlRoute(app, '/control/accounts/balance', balance, async ({ email, total_balance }) => {
    const subject = `cmd.${setBalance.service}.${setBalance.name}`;
    const reply = await bus
      .request(operatorRequest(setBalance.service, subject, { email, total_micros: total_balance }))
      .catch((error: unknown) => {
        if (isUnanswered(error)) return null;
        throw error;
      });
    if (!reply) return refused(503, 'The accounts service did not answer; repeat it.');
    if (reply.kind === 'ok') return done({ email, total_balance: formatMicros(total_balance) });
    const { code, message, fields } = reply.rejection;
    const status = code === 'not_found' ? 404 : code === 'invalid' ? 422 : 503;
    const text = message ?? (code === 'not_found' ? 'No account has that e-mail address.' : code);
    return { status, body: { message: text, ...(fields ? { errors: fields } : {}) } };
  });
}
