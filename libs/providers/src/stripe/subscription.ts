import { z } from 'zod';
import type { MonthlySubscription, OwedInvoice } from '../payments.ts';

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

/** Paid or waived (`void`): nothing is owed for its month any more. */
const settledInvoice = z.object({
  id: z.string(),
  status: z.enum(['paid', 'void']),
  amount_due: z.int(),
  currency: z.string(),
  lines: invoiceLines,
  status_transitions: z.object({ paid_at: second.nullish() }).nullish(),
});

/**
 * Unpaid, or written off after attempts to charge it. One that was written off without any attempt counts as given
 * away: that is how Stripe treats invoices while collection is paused.
 */
const owedInvoice = z
  .object({
    id: z.string(),
    status: z.enum(['draft', 'open', 'uncollectible']),
    amount_due: z.int(),
    currency: z.string(),
    attempt_count: z.int(),
    created: second,
  })
  .refine(({ status, attempt_count }) => status !== 'uncollectible' || attempt_count > 0)
  .transform(toOwed);

const subscription = z.object({
  id: z.string().min(1),
  status: z.string(),
  items: z.object({ data: z.array(z.object({ current_period_end: second })).min(1) }),
  latest_invoice: z.union([invoice, z.string()]).nullish(),
});

/** Reads Stripe's answer; `undefined` when it is not a subscription. */
export function readSubscription(answer: unknown): MonthlySubscription | undefined {
  const { data } = subscription.safeParse(answer);
  if (!data) return undefined;
  const { id, status, items, latest_invoice } = data;
  const latest = typeof latest_invoice === 'object' ? latest_invoice : null;
  return {
    subscriptionId: id,
    isEnded: status === 'canceled' || status === 'incomplete_expired',
    // Stripe sets a subscription to active again when its invoice is written off, which it may do itself after the last
    // attempt.
    isPaid: status === 'active' && latest?.status !== 'uncollectible',
    paymentIntentId: latest?.payments?.data[0]?.payment.payment_intent ?? null,
    paidUntil: toIso(Math.max(...items.data.map((item) => item.current_period_end))),
    latestSettled: readSettledInvoice(Object(answer).latest_invoice),
    latestOwed: owedInvoice.safeParse(Object(answer).latest_invoice).data ?? null,
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

/** Reads an unpaid invoice of Stripe. */
export function toOwed(invoice: {
  readonly id: string;
  readonly amount_due: number;
  readonly currency: string;
  readonly attempt_count: number;
  readonly created: number;
}): OwedInvoice {
  const { id: invoiceId, amount_due: amountCents, currency, attempt_count, created } = invoice;
  return { invoiceId, amountCents, currency, attempt: Math.max(1, attempt_count), dueAt: toIso(created) };
}

/** The end of the time that the invoice's lines cover, ISO 8601. */
export const endOf = ({ data }: z.output<typeof invoiceLines>): string =>
  toIso(Math.max(...data.map(({ period }) => period.end)));

/** Stripe counts seconds. */
const toIso = (seconds: number): string => new Date(seconds * 1_000).toISOString();
