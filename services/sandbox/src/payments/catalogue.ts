import { type Call, type Handler, ok } from './call.ts';
import { findObject, newId, saveObject } from './object-store.ts';
import type { Price, Product } from './objects.ts';
import { type PriceData, priceParameters, productParameters } from './parameters.ts';
import { invalid, missing } from './stripe-error.ts';

export const createProduct: Handler = async (call) => {
  const parsed = productParameters.safeParse(call.request.body ?? {});
  if (!parsed.success) return invalid('name', 'Missing required param: name.');
  return ok(await saveProduct(call, parsed.data.id ?? newId('prod'), parsed.data.name));
};

export const createPrice: Handler = async (call) => {
  const parsed = priceParameters.safeParse(call.request.body ?? {});
  if (!parsed.success) return invalid('price', 'Invalid price parameters.');
  const { product, product_data, ...parameters } = parsed.data;
  if (product_data) {
    const created = await saveProduct(call, newId('prod'), product_data.name);
    return ok(await savePrice(call, { ...parameters, product: created.id }));
  }
  if (!product || !(await findObject<Product>(call.db, 'product', product)))
    return missing('product', product ?? '', 'product', 400);
  return ok(await savePrice(call, { ...parameters, product }));
};

async function saveProduct(call: Call, id: string, name: string): Promise<Product> {
  const product: Product = {
    id,
    object: 'product',
    name,
    active: true,
    created: call.now,
    livemode: false,
    metadata: {},
  };
  await saveObject(call.db, product);
  return product;
}

/** A price made for one subscription; null when its product does not exist. */
export const inlinePrice = async (call: Call, data: PriceData): Promise<Price | null> =>
  (await findObject<Product>(call.db, 'product', data.product)) ? savePrice(call, data) : null;

async function savePrice(
  call: Call,
  { currency, unit_amount, recurring, product }: PriceData,
): Promise<Price> {
  const price: Price = {
    id: newId('price'),
    object: 'price',
    active: true,
    currency: currency.toLowerCase(),
    unit_amount,
    product,
    recurring,
    type: 'recurring',
    created: call.now,
    livemode: false,
    metadata: {},
  };
  await saveObject(call.db, price);
  return price;
}
