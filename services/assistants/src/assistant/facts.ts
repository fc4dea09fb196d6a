import { type AssistantSettings, invalidField, type Rejection } from '@parley/contracts';

/** Kinds of what an assistant can point at within this service. */
export type ReferenceKind = 'folder' | 'label' | 'knowledgebase';

/** A folder, label or knowledgebase that an assistant points at. */
export interface Reference {
  readonly kind: ReferenceKind;
  readonly id: number;
}

/** A phone number of the account, as telephony knows it. */
export interface PhoneNumber {
  readonly kind: 'normal' | 'sip' | 'caller_id';
  /** False for a number that is for SMS alone, which nobody can call. */
  readonly takes_calls: boolean;
}

/** What a decision about settings needs to know from outside the assistant; looked up before it is made. */
export interface Facts {
  /** Whether the account has such a resource, and it was not deleted. */
  readonly isOwn: (kind: ReferenceKind, id: number) => boolean;
  /**
   * The number that `numberToCheck` named; null when the account has none with that id, `unchecked` when none was
   * named.
   */
  readonly number: PhoneNumber | null | 'unchecked';
  /** Why a webhook must not go to the URL, as the end of a sentence that begins with the field; null when it may. */
  readonly urlFault: (url: string) => string | null;
}

/** The rejection of a URL that webhooks must not go to; undefined when they may. */
export function refusedUrl(
  field: 'url' | 'webhook_url',
  url: string,
  { urlFault }: Pick<Facts, 'urlFault'>,
): Rejection | undefined {
  const fault = urlFault(url);
  return fault === null ? undefined : invalidField(field, `The ${field.replace('_', ' ')} field ${fault}`);
}

/** All that the given settings point at. */
export const referencesOf = ({
  folder_id = null,
  label_ids = [],
  knowledgebase_id = null,
}: Partial<AssistantSettings>): Reference[] => [
  ...(folder_id === null ? [] : [{ kind: 'folder', id: folder_id } as const]),
  ...label_ids.map((id) => ({ kind: 'label', id }) as const),
  ...(knowledgebase_id === null ? [] : [{ kind: 'knowledgebase', id: knowledgebase_id } as const]),
];

/**
 * Id of the number to look up for a change of settings; null when the number and its use stay the same, or there is
 * none.
 */
export function numberToCheck(before: AssistantSettings | null, after: AssistantSettings): number | null {
  const isChanged = before?.phone_number_id !== after.phone_number_id || before.type !== after.type;
  return isChanged ? after.phone_number_id : null;
}
