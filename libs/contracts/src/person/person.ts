/** What the chat platform calls a customer who hides their number, towards one business: `US.13491208655302741918`. */
export const hiddenCustomer = /[A-Z]{2}\.[A-Za-z0-9]{12,128}/;

const number = /\+[1-9]\d{6,14}/;

/** Not within a longer word. In JSON a line break before it ends with a letter, and other characters with a digit. */
const wordBegins = /(?:(?<![A-Za-z0-9.])|(?<=\\[bfnrt])|(?<=\\u[0-9a-fA-F]{4}))/;

/** A person whom an account is in touch with, as they are written in any text: by their number in E.164, or hidden. */
export const personPattern = new RegExp(
  `${number.source}(?!\\d)|${wordBegins.source}${hiddenCustomer.source}(?![A-Za-z0-9])`,
);

/** Whether the text is a person, and nothing else. */
export const wholePerson = new RegExp(`^(?:${number.source}|${hiddenCustomer.source})$`);
