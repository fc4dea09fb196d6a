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
  /** `null` while the platform has not rated the number. */
  readonly qualityRating: 'GREEN' | 'YELLOW' | 'RED' | null;
  /** Unique recipients in 24 hours; `null` is unlimited. */
  readonly messagingLimit: number | null;
  readonly isCallingEnabled: boolean;
}

/** A gap in a template that a message fills: the platform's key for it, and a name for people. */
export interface Placeholder {
  /**
   * In the body: `1`, `2`, … in a positional template, a name in a named one. Elsewhere the place and a colon come
   * first: `header:1`, `image:header`, `url:0`, `copy_code:0`, `flow:0`; `other:` is what no text can fill.
   */
  readonly key: string;
  readonly name: string;
}

const beyondText = 'other:';

/** A placeholder for what a message would have to fill but no text can, such as a carousel or a place. */
export const unfillable = (what: string): Placeholder => ({ key: `${beyondText}${what}`, name: what });

/** Whether text can fill the placeholder; a template with one that it cannot fill cannot be sent from here. */
export const isFillable = ({ key }: Placeholder): boolean => !key.startsWith(beyondText);

/** Whether the recipient reads its value, in the body or the heading; false for links to a picture or a page, for a code to copy, and for the token of a form. */
export const isRead = ({ key }: Placeholder): boolean => !key.includes(':') || key.startsWith('header:');

/**
 * Whether the platform accepts the text as a value of a placeholder: no line breaks or tabs, at most four spaces in a
 * row.
 */
export const fitsGap = (value: string): boolean => !/[\n\r\t]| {5}/.test(value);

/**
 * A message template of a number's account, as the platform has it now. `voice_call_request`: it asks the customer for
 * permission to call.
 */
export interface ChatTemplate {
  readonly platformId: string;
  readonly name: string;
  readonly language: string;
  readonly category: 'marketing' | 'utility' | 'authentication';
  readonly status: 'approved' | 'pending' | 'rejected';
  readonly kind: 'message' | 'voice_call_request';
  /** Its placeholders are written `{{1}}`, `{{2}}`, … whatever the platform's keys for them are. */
  readonly bodyText: string;
  readonly format: 'positional' | 'named';
  /** First those of the body, the first of which is `{{1}}`; then those of header and buttons. */
  readonly placeholders: readonly Placeholder[];
}

/** A message made from a template. */
export interface TemplateMessage {
  readonly type: 'template';
  readonly name: string;
  readonly language: string;
  readonly category: ChatTemplate['category'];
  readonly format: 'positional' | 'named';
  /** A value for each placeholder of the template, in their order. */
  readonly parameters: readonly { readonly key: string; readonly value: string }[];
}

interface TextMessage {
  readonly type: 'text';
  readonly body: string;
}

export interface OutgoingMessage {
  /** E.164, or the platform's id of a customer who hides their number. */
  readonly to: string;
  /**
   * Our id of the message. The platform repeats it in each status, by which a send whose outcome is unknown is
   * recognised.
   */
  readonly reference: string;
  readonly content: TemplateMessage | TextMessage;
}

interface SentMessage {
  /** The platform's id of the message. */
  readonly messageId: string;
}

/** Credentials with which calls of a business number go out by the platform's SIP server. */
export interface SipAccount {
  readonly username: string;
  readonly password: Secret;
}

/**
 * Port of the chat platform. Every call ends within the adapter's time limit, which is below 10 s; only
 * `listTemplates`, for which nobody waits, may take 30 s.
 */
export interface ChatPlatform {
  /**
   * Finds a number of our business by any of these spellings in E.164; the result has the platform's spelling. `null`
   * when we have no such number there. `unavailable` when we are not allowed to look: that says nothing about the
   * number.
   */
  findNumber(spellings: readonly string[]): Promise<ProviderResult<ChatNumber | null>>;
  /** Has the platform tell us what happens at the number's account; asked again, it stays so. */
  subscribe(ref: ChatNumberRef): Promise<ProviderResult<null>>;
  /** A number found before, as it is now; `null` when the platform no longer knows it. */
  getNumber(ref: ChatNumberRef): Promise<ProviderResult<ChatNumber | null>>;
  /** `null` when no SIP server is set up for the number at the platform: then we cannot call from it by SIP. */
  findSipAccount(
    number: Pick<ChatNumber, 'phoneNumberId' | 'phoneNumber'>,
  ): Promise<ProviderResult<SipAccount | null>>;
  /** All templates of the number's account. */
  listTemplates(ref: ChatNumberRef): Promise<ProviderResult<readonly ChatTemplate[]>>;
  /** Sends without any repetition of its own; `unknown` when the message may have been sent. */
  send(ref: ChatNumberRef, message: OutgoingMessage): Promise<ProviderResult<SentMessage>>;
}
