import type { MessageReferences } from '@parley/contracts';

/** Of whatever has them among others. */
export const referencesOf = ({
  in_reply_to_sid,
  is_forwarded,
  payload,
  referral,
}: MessageReferences): MessageReferences => ({ in_reply_to_sid, is_forwarded, payload, referral });
