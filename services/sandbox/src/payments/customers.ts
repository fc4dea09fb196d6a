import { type Call, type Handler, listOf, ok } from './call.ts';
import { findObject, listObjects, newId, saveObject } from './object-store.ts';
import type { Customer, PaymentMethod } from './objects.ts';
import { customerParameters } from './parameters.ts';
import { invalid, missing } from './stripe-error.ts';
import { testCard } from './test-cards.ts';

export const createCustomer: Handler = async (call) => {
  const parsed = customerParameters.safeParse(call.request.body ?? {});
  if (!parsed.success) return invalid('customer', 'Invalid customer parameters.');
  const parameters = parsed.data;
  const customer: Customer = {
    id: newId('cus'),
    object: 'customer',
    email: parameters.email ?? null,
    name: parameters.name ?? null,
    description: parameters.description ?? null,
    phone: parameters.phone ?? null,
    invoice_settings: { default_payment_method: null },
    currency: null,
    delinquent: false,
    created: call.now,
    livemode: false,
    metadata: parameters.metadata ?? {},
  };
  await saveObject(call.db, customer);
  if (parameters.payment_method === undefined) return ok(customer);
  const method = await attach(call, parameters.payment_method, customer.id);
  if (!method) return missing('PaymentMethod', parameters.payment_method, 'payment_method', 400);
  if (parameters.invoice_settings?.default_payment_method === undefined) return ok(customer);
  const withMethod = { ...customer, invoice_settings: { default_payment_method: method.id } };
  await saveObject(call.db, withMethod);
  return ok(withMethod);
};

export const getCustomer: Handler = async (call) => {
  const customer = await findObject<Customer>(call.db, 'customer', call.id);
  return customer ? ok(customer) : missing('customer', call.id);
};

export const updateCustomer: Handler = async (call) => {
  const customer = await findObject<Customer>(call.db, 'customer', call.id);
  if (!customer) return missing('customer', call.id);
  const parsed = customerParameters.safeParse(call.request.body ?? {});
  if (!parsed.success) return invalid('customer', 'Invalid customer parameters.');
  const { email, name, description, phone, invoice_settings, metadata: notes } = parsed.data;
  const chosen = invoice_settings?.default_payment_method;
  if (chosen && !(await findAttached(call, chosen, customer.id)))
    return missing('PaymentMethod', chosen, 'invoice_settings[default_payment_method]', 400);
  const updated: Customer = {
    ...customer,
    email: email ?? customer.email,
    name: name ?? customer.name,
    description: description ?? customer.description,
    phone: phone ?? customer.phone,
    invoice_settings: {
      default_payment_method:
        chosen === undefined ? customer.invoice_settings.default_payment_method : chosen || null,
    },
    metadata: { ...customer.metadata, ...notes },
  };
  await saveObject(call.db, updated);
  return ok(updated);
};

export const deleteCustomer: Handler = async (call) => {
  const customer = await findObject<Customer>(call.db, 'customer', call.id);
  if (!customer) return missing('customer', call.id);
  await call.db.query('delete from payments.objects where id = $1', [call.id]);
  return ok({ id: call.id, object: 'customer', deleted: true });
};

export const attachMethod: Handler = async (call) => {
  const { body } = call.request;
  const customerId =
    typeof body === 'object' && body !== null && 'customer' in body ? String(body.customer) : '';
  if (!(await findObject<Customer>(call.db, 'customer', customerId)))
    return missing('customer', customerId, 'customer', 400);
  const method = await attach(call, call.id, customerId);
  return method ? ok(method) : missing('PaymentMethod', call.id, 'payment_method');
};

export const detachMethod: Handler = async (call) => {
  const method = await findObject<PaymentMethod>(call.db, 'payment_method', call.id);
  if (!method) return missing('PaymentMethod', call.id, 'payment_method');
  const detached = { ...method, customer: null };
  await saveObject(call.db, detached);
  if (method.customer) {
    const customer = await findObject<Customer>(call.db, 'customer', method.customer);
    if (customer?.invoice_settings.default_payment_method === method.id)
      await saveObject(call.db, withoutDefault(customer));
  }
  return ok(detached);
};

const withoutDefault = (customer: Customer): Customer => ({
  ...customer,
  invoice_settings: { default_payment_method: null },
});

export const getMethod: Handler = async (call) => {
  const method = await findObject<PaymentMethod>(call.db, 'payment_method', call.id);
  return method ? ok(method) : missing('PaymentMethod', call.id, 'payment_method');
};

export const listMethods: Handler = async (call) => {
  const customer = call.id || String(call.request.query.customer ?? '');
  return listOf('/v1/payment_methods', await listObjects<PaymentMethod>(call.db, 'payment_method', customer));
};

/** A method that belongs to the customer; null for any other. */
export async function findAttached(call: Call, id: string, customer: string): Promise<PaymentMethod | null> {
  const method = await findObject<PaymentMethod>(call.db, 'payment_method', id);
  return method?.customer === customer ? method : null;
}

/** A test token becomes a method of its own; a method that exists already moves to the customer. */
async function attach(call: Call, id: string, customer: string): Promise<PaymentMethod | null> {
  const known = await findObject<PaymentMethod>(call.db, 'payment_method', id);
  if (known) {
    const attached: PaymentMethod = { ...known, customer };
    await saveObject(call.db, attached, { customer });
    return attached;
  }
  const card = testCard(id);
  if (!card) return null;
  const method: PaymentMethod = {
    id: newId('pm'),
    object: 'payment_method',
    type: 'card',
    card: {
      brand: card.brand,
      last4: card.last4,
      exp_month: 12,
      exp_year: new Date(call.now * 1000).getUTCFullYear() + 4,
      country: 'US',
      funding: 'credit',
    },
    billing_details: { address: null, email: null, name: null, phone: null },
    customer,
    created: call.now,
    livemode: false,
    metadata: {},
  };
  await saveObject(call.db, method, { customer, declines: card.declines });
  return method;
}
