/** What the chat platform calls a customer who hides their number, towards one business: `US.13491208655302741918`. */
export const hiddenCustomer = /[A-Z]{2}\.[A-Za-z0-9]{12,128}/;

const number = /\+[1-9]\d{6,14}/;

/** A person whom an account is in touch with, as they are written in any text: by their number in E.164, or hidden. */
export const personPattern = new RegExp(
  `${number.source}(?!\\d)|(?<![A-Za-z0-9.])${hiddenCustomer.source}(?![A-Za-z0-9])`,
);

/** Whether the text is a person, and nothing else. */
export const wholePerson = new RegExp(`^(?:${number.source}|${hiddenCustomer.source})$`);
