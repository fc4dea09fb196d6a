import { type Handler, listOf, ok } from './call.ts';
import { findObject, listObjects, newId, saveObject } from './object-store.ts';
import type { Invoice, Refund } from './objects.ts';
import { refundParameters } from './parameters.ts';
import { invalid, missing, stripeError } from './stripe-error.ts';

export const getInvoice: Handler = async (call) => {
  const invoice = await findObject<Invoice>(call.db, 'invoice', call.id);
  return invoice ? ok(invoice) : missing('invoice', call.id);
};

export const listInvoices: Handler = async (call) => {
  const { customer, subscription } = call.request.query;
  const all = await listObjects<Invoice>(call.db, 'invoice', typeof customer === 'string' ? customer : null);
  const shown = all.filter(
    ({ parent }) => subscription === undefined || parent.subscription_details.subscription === subscription,
  );
  return listOf('/v1/invoices', shown);
};

/** Gives a paid invoice's money back, once. */
export const createRefund: Handler = async (call) => {
  const parsed = refundParameters.safeParse(call.request.body ?? {});
  if (!parsed.success) return invalid('payment_intent', 'Missing required param: payment_intent.');
  const { payment_intent, amount, reason, metadata } = parsed.data;
  const invoices = await listObjects<Invoice>(call.db, 'invoice', null);
  const invoice = invoices.find(({ payments }) =>
    payments.data.some(({ payment }) => payment.payment_intent === payment_intent),
  );
  if (!invoice) return missing('payment_intent', payment_intent, 'payment_intent');
  const refunds = await listObjects<Refund>(call.db, 'refund', null);
  const refunded = refunds
    .filter((refund) => refund.payment_intent === payment_intent)
    .reduce((sum, refund) => sum + refund.amount, 0);
  const wanted = amount ?? invoice.amount_paid - refunded;
  if (wanted <= 0 || refunded + wanted > invoice.amount_paid)
    return stripeError(400, {
      type: 'invalid_request_error',
      code: 'charge_already_refunded',
      message: `The payment ${payment_intent} has already been refunded.`,
    });
  const refund: Refund = {
    id: newId('re'),
    object: 'refund',
    amount: wanted,
    currency: invoice.currency,
    payment_intent,
    status: 'succeeded',
    reason: reason ?? null,
    created: call.now,
    metadata: metadata ?? {},
  };
  await saveObject(call.db, refund, { customer: invoice.customer });
  await call.emit('refund.created', refund);
  return ok(refund);
};
