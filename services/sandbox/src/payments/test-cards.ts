interface TestCard {
  readonly brand: string;
  readonly last4: string;
  readonly declines: boolean;
}

/** Stripe's test tokens, as far as needed. Each works once per use: attaching one makes a new payment method. */
const cards: Readonly<Record<string, TestCard>> = {
  pm_card_visa: { brand: 'visa', last4: '4242', declines: false },
  pm_card_visa_debit: { brand: 'visa', last4: '5556', declines: false },
  pm_card_mastercard: { brand: 'mastercard', last4: '4444', declines: false },
  pm_card_amex: { brand: 'amex', last4: '8431', declines: false },
  pm_card_us: { brand: 'visa', last4: '4242', declines: false },
  pm_card_chargeDeclined: { brand: 'visa', last4: '0002', declines: true },
  pm_card_chargeCustomerFail: { brand: 'visa', last4: '0341', declines: true },
};

/** The card of a test token; null for any other text. */
export const testCard = (token: string): TestCard | null =>
  Object.hasOwn(cards, token) ? (cards[token] ?? null) : null;
