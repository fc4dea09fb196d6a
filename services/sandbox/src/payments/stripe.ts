import { hasBasic, hasBearer } from '../provider/credentials.ts';
import type { OperationOf } from '../provider/names.ts';
import type { Provider, ProviderRoute } from '../provider/provider.ts';
import type { World } from '../world.ts';
import { callOf, type Handler } from './call.ts';
import { createPrice, createProduct } from './catalogue.ts';
import {
  attachMethod,
  createCustomer,
  deleteCustomer,
  detachMethod,
  getCustomer,
  getMethod,
  listMethods,
  updateCustomer,
} from './customers.ts';
import { idempotencyKey, once } from './idempotency.ts';
import { createRefund, getInvoice, listInvoices } from './invoices.ts';
import { newId } from './object-store.ts';
import { apiError, cardDeclined, stripeError, wrongKey } from './stripe-error.ts';
import {
  cancelSubscription,
  createSubscription,
  getSubscription,
  listSubscriptions,
  payInvoice,
  updateSubscription,
} from './subscriptions.ts';

export interface StripeCredentials {
  readonly apiKey: string;
  readonly webhookSecret: string;
}

type Method = ProviderRoute<'payments'>['method'];

const calls: readonly (readonly [Method, string, OperationOf<'payments'>, Handler])[] = [
  ['POST', '/v1/customers', 'create_customer', createCustomer],
  ['GET', '/v1/customers/:id', 'get_customer', getCustomer],
  ['POST', '/v1/customers/:id', 'update_customer', updateCustomer],
  ['DELETE', '/v1/customers/:id', 'delete_customer', deleteCustomer],
  ['GET', '/v1/customers/:id/payment_methods', 'get_method', listMethods],
  ['GET', '/v1/payment_methods', 'get_method', listMethods],
  ['GET', '/v1/payment_methods/:id', 'get_method', getMethod],
  ['POST', '/v1/payment_methods/:id/attach', 'attach_method', attachMethod],
  ['POST', '/v1/payment_methods/:id/detach', 'detach_method', detachMethod],
  ['POST', '/v1/products', 'create_price', createProduct],
  ['POST', '/v1/prices', 'create_price', createPrice],
  ['POST', '/v1/subscriptions', 'create_subscription', createSubscription],
  ['GET', '/v1/subscriptions', 'list_subscriptions', listSubscriptions],
  ['GET', '/v1/subscriptions/:id', 'get_subscription', getSubscription],
  ['POST', '/v1/subscriptions/:id', 'update_subscription', updateSubscription],
  ['DELETE', '/v1/subscriptions/:id', 'cancel_subscription', cancelSubscription],
  ['GET', '/v1/invoices', 'get_invoice', listInvoices],
  ['GET', '/v1/invoices/:id', 'get_invoice', getInvoice],
  ['POST', '/v1/invoices/:id/pay', 'pay_invoice', payInvoice],
  ['POST', '/v1/refunds', 'create_refund', createRefund],
];

/** Stripe's API for customers, their cards and monthly subscriptions. */
export const stripe = (world: World, { apiKey }: StripeCredentials): Provider<'payments'> => ({
  name: 'payments',
  refuse: async (request) =>
    hasBearer(request, apiKey) || hasBasic(request, apiKey, '') ? null : wrongKey(),
  rejection: (operation) =>
    operation === 'create_subscription' || operation === 'attach_method'
      ? cardDeclined()
      : stripeError(400, { type: 'invalid_request_error', message: 'The request was rejected.' }),
  breakdown: apiError,
  routes: calls.map(([method, path, operation, handle]) => ({
    method,
    path,
    operation,
    idempotencyKey,
    handle: async (request) => {
      const now = world.clock.now();
      const answer = await world.change((db, tell) => {
        const work = () => handle(callOf(db, tell, request, now));
        return method === 'POST' ? once(db, request, now, work) : work();
      });
      return { ...answer, headers: { ...answer.headers, 'request-id': newId('req') } };
    },
  })),
});
