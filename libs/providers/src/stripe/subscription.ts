import { z } from 'zod';
import type { MonthlySubscription } from '../payments.ts';

const second = z.int().nonnegative();

export const invoiceLines = z.object({
  data: z.array(z.object({ period: z.object({ end: z.int() }) })).min(1),
});

const invoice = z.object({
  status: z.string().nullish(),
  payments: z
    .object({ data: z.array(z.object({ payment: z.object({ payment_intent: z.string().nullish() }) })) })
    .nullish(),
});

/** Also one that is waived: nothing is owed for its month any more. */
const settledInvoice = z.object({
  id: z.string(),
  status: z.enum(['paid', 'void']),
  amount_due: z.int(),
  currency: z.string(),
  lines: invoiceLines,
  status_transitions: z.object({ paid_at: second.nullish() }).nullish(),
});

const subscription = z.object({
  id: z.string().min(1),
  status: z.string(),
  items: z.object({ data: z.array(z.object({ current_period_end: second })).min(1) }),
  latest_invoice: z.union([invoice, z.string()]).nullish(),
});

/** `undefined` when it is no subscription. */
export function readSubscription(answer: unknown): MonthlySubscription | undefined {
  const { data } = subscription.safeParse(answer);
  if (!data) return undefined;
  const { id, status, items, latest_invoice } = data;
  const latest = typeof latest_invoice === 'object' ? latest_invoice : null;
  return {
    subscriptionId: id,
    isEnded: status === 'canceled' || status === 'incomplete_expired',
    // Stripe has it active again by an invoice that is written off, which it may do itself when its tries are over.
    isPaid: status === 'active' && latest?.status !== 'uncollectible',
    paymentIntentId: latest?.payments?.data[0]?.payment.payment_intent ?? null,
    paidUntil: toIso(Math.max(...items.data.map((item) => item.current_period_end))),
    latestSettled: readSettledInvoice(Object(answer).latest_invoice),
  };
}

function readSettledInvoice(answer: unknown): MonthlySubscription['latestSettled'] {
  const { data } = settledInvoice.safeParse(answer);
  if (!data) return null;
  const { id, status, amount_due, currency, lines } = data;
  const paidAt = data.status_transitions?.paid_at ?? null;
  return {
    invoiceId: id,
    amountCents: status === 'paid' ? amount_due : 0,
    currency,
    paidUntil: endOf(lines),
    paidAt: paidAt === null ? null : toIso(paidAt),
  };
}

/** When the months end that the lines are about. */
export const endOf = ({ data }: z.output<typeof invoiceLines>): string =>
  toIso(Math.max(...data.map(({ period }) => period.end)));

/** Stripe counts seconds. */
export const toIso = (seconds: number): string => new Date(seconds * 1_000).toISOString();
