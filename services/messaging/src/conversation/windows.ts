/** What the messaging windows of a sender and a contact rest on (decisions, section 2): ISO 8601, null for never. */
export interface LastMessages {
  /** When the contact wrote last. */
  readonly receivedAt: string | null;
  /** When the platform last took a template of ours. */
  readonly templateSentAt: string | null;
}

/** What may be sent to a contact at a moment; times are null where there was never a message to count from. */
export interface MessagingWindows {
  /** The contact has written within 24 hours: what call permission and `session_open` look at. */
  readonly isSessionOpen: boolean;
  readonly sessionExpiresAt: Date | null;
  /** Text may be sent without a template: 24 hours from the contact's message or from our template. */
  readonly isFreeformOpen: boolean;
  readonly freeformExpiresAt: Date | null;
}

const windowMs = 24 * 60 * 60 * 1_000;

/** Both windows as of `now`, by the platform clock. A window is closed from the instant at which it expires. */
export function windowsAt({ receivedAt, templateSentAt }: LastMessages, now: Date): MessagingWindows {
  const session = endOf(receivedAt);
  const template = endOf(templateSentAt);
  const freeform =
    session !== null && template !== null ? Math.max(session, template) : (session ?? template);
  return {
    isSessionOpen: session !== null && now.getTime() < session,
    sessionExpiresAt: session === null ? null : new Date(session),
    isFreeformOpen: freeform !== null && now.getTime() < freeform,
    freeformExpiresAt: freeform === null ? null : new Date(freeform),
  };
}

const endOf = (at: string | null): number | null => (at === null ? null : Date.parse(at) + windowMs);
