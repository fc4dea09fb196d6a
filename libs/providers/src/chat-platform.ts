import type { Secret } from '@parley/process-kit';
import type { ProviderResult } from './provider-result.ts';

/** A business number as the chat platform knows it; both ids are the platform's. */
export interface ChatNumberRef {
  readonly phoneNumberId: string;
  /** The account that the number and its templates belong to. */
  readonly accountId: string;
}

export interface ChatNumber extends ChatNumberRef {
  /** E.164 */
  readonly phoneNumber: string;
  readonly displayName: string;
  readonly isOnline: boolean;
  /** `null` while the platform has not rated it. */
  readonly qualityRating: 'GREEN' | 'YELLOW' | 'RED' | null;
  /** Unique recipients in 24 hours; `null` is unlimited. */
  readonly messagingLimit: number | null;
  readonly isCallingEnabled: boolean;
}

/** A gap in a template: what the platform calls it, and its name for people. */
export interface Placeholder {
  /** In the body `1`, `2`, … of a positional template, a name in a named one; elsewhere the place and a colon come first. */
  readonly key: string;
  readonly name: string;
}

const beyondText = 'other:';

/** What a message would have to fill and no text can: a carousel, a flow. */
export const unfillable = (what: string): Placeholder => ({ key: `${beyondText}${what}`, name: what });

/** Whether a value that is text fills it. */
export const isFillable = ({ key }: Placeholder): boolean => !key.startsWith(beyondText);

/** Whether its value is part of what the recipient reads, in the body or the heading: no link to a picture or a page. */
export const isRead = ({ key }: Placeholder): boolean => !key.includes(':') || key.startsWith('header:');

/** Whether the platform takes the text into a gap: without line breaks and tabs, and with at most four spaces in a row. */
export const fitsGap = (value: string): boolean => !/[\n\r\t]| {5}/.test(value);

export interface ChatTemplate {
  readonly platformId: string;
  readonly name: string;
  readonly language: string;
  readonly category: 'marketing' | 'utility' | 'authentication';
  readonly status: 'approved' | 'pending' | 'rejected';
  readonly kind: 'message' | 'voice_call_request';
  /** Its placeholders shown as `{{1}}`, `{{2}}`, … whatever the platform calls them. */
  readonly bodyText: string;
  readonly format: 'positional' | 'named';
  /** Those of the body in its order: the first one is `{{1}}`. Then those of header and buttons. */
  readonly placeholders: readonly Placeholder[];
}

export interface TemplateMessage {
  readonly type: 'template';
  readonly name: string;
  readonly language: string;
  readonly category: ChatTemplate['category'];
  readonly format: 'positional' | 'named';
  /** A value for each placeholder, in their order. */
  readonly parameters: readonly { readonly key: string; readonly value: string }[];
}

export interface TextMessage {
  readonly type: 'text';
  readonly body: string;
}

export interface OutgoingMessage {
  /** E.164, or what the platform calls a customer who hides it. */
  readonly to: string;
  /** Our own word for the message; it comes back in each of its statuses, so that an uncertain send is recognised. */
  readonly reference: string;
  readonly content: TemplateMessage | TextMessage;
}

export interface SentMessage {
  /** The platform's id of the message. */
  readonly messageId: string;
}

/** The account with which a business number calls by the platform's SIP server. */
export interface SipAccount {
  readonly username: string;
  readonly password: Secret;
}

/**
 * The chat platform as messaging needs it. Every call ends within the adapter's time limit, always below 10 s; but
 * `listTemplates`, for which nobody waits, may take 30 s.
 */
export interface ChatPlatform {
  /**
   * The business number, when it is one of ours, by any of its spellings in E.164; the found one has the platform's. `null`
   * when the platform does not know it. That we may not look for it is `unavailable`: it says nothing of the number.
   */
  findNumber(spellings: readonly string[]): Promise<ProviderResult<ChatNumber | null>>;
  /** A number found before, as it is now; `null` when the platform no longer knows it. */
  getNumber(ref: ChatNumberRef): Promise<ProviderResult<ChatNumber | null>>;
  /** Null when the platform has no SIP server on record for the number: it takes no calls of ours by SIP. */
  findSipAccount(
    number: Pick<ChatNumber, 'phoneNumberId' | 'phoneNumber'>,
  ): Promise<ProviderResult<SipAccount | null>>;
  /** All templates of the number's account. */
  listTemplates(ref: ChatNumberRef): Promise<ProviderResult<readonly ChatTemplate[]>>;
  /** Sends once; `unknown` when it may have been sent. */
  send(ref: ChatNumberRef, message: OutgoingMessage): Promise<ProviderResult<SentMessage>>;
}
