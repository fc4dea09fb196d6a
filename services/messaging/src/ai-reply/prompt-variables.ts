/** The message that is answered, as a prompt may speak of it. */
export interface Occasion {
  /** When the contact wrote: ISO 8601. The same for each attempt at a reply. */
  readonly sentAt: string;
  /** E.164, or the chat platform's id of a customer who hides their number. */
  readonly contactPhone: string;
  readonly contactName: string | null;
}

/**
 * What stands for `{{now}}`, `{{customer_name}}` and `{{customer_phone}}` in a prompt whose assistant has no variables of
 * these names. `timezone` is an IANA name.
 */
export function promptVariables({ sentAt, contactPhone, contactName }: Occasion, timezone: string) {
  const date = new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'full',
    timeStyle: 'short',
    timeZone: timezone,
  });
  return {
    now: `${date.format(new Date(sentAt))} (${timezone})`,
    customer_name: contactName,
    customer_phone: contactPhone,
  };
}
