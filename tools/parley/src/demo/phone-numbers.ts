import {
  getPaymentMethod,
  listPhoneNumbers,
  purchasePhoneNumber,
  searchPhoneNumbers,
  setPaymentMethod,
} from '@parley/contracts';
import type { DemoPart } from './demo-part.ts';

/** A card that pays, and a number that it paid for. */
export const phoneNumbers: DemoPart = {
  name: 'phone-numbers',
  async seed({ post, put, get }) {
    const card = await get(getPaymentMethod.path, getPaymentMethod.success.schema);
    if (!card.data) await put(setPaymentMethod.path, { token: 'pm_card_visa' });
    const own = await get(listPhoneNumbers.path, listPhoneNumbers.success.schema);
    if (own.data.some(({ type_label }) => type_label === 'Normal')) return;
    const search = `${searchPhoneNumbers.path}?country_code=US&type=local&contains=555&limit=1`;
    const { data } = await get(search, searchPhoneNumbers.success.schema);
    for (const { phone_number } of data)
      await post(purchasePhoneNumber.path, { phone_number }, `number-${phone_number}`);
  },
};
