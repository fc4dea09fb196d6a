/** Monthly prices of numbers in cents of US dollars, by the number's country. */
const monthlyCentsByCountry: Readonly<Record<string, number>> = {
  AT: 300,
  AU: 350,
  BE: 250,
  BR: 500,
  CA: 200,
  CH: 250,
  CZ: 250,
  DE: 250,
  DK: 350,
  ES: 250,
  FI: 400,
  FR: 250,
  GB: 225,
  HK: 900,
  IE: 250,
  IL: 600,
  IT: 300,
  JP: 700,
  MX: 600,
  NL: 400,
  NO: 350,
  NZ: 400,
  PL: 250,
  PT: 250,
  SE: 275,
  SG: 900,
  US: 200,
  ZA: 400,
};
/** The price in every other country. */
const monthlyCentsElsewhere = 1_500;

/** What a number costs every month. */
export interface MonthlyPrice {
  readonly amountCents: number;
  /** ISO 4217, lower case as the payment provider has it. */
  readonly currency: string;
}

/** Monthly price of a number in this country (ISO 3166-1 alpha-2). */
export const priceOf = (country: string): MonthlyPrice => ({
  amountCents: monthlyCentsByCountry[country] ?? monthlyCentsElsewhere,
  currency: 'usd',
});

/** A price as the API shows it: `2.50` and `USD`. */
export const shownPrice = ({ amountCents, currency }: MonthlyPrice) => ({
  price: (amountCents / 100).toFixed(2),
  currency: currency.toUpperCase(),
});
