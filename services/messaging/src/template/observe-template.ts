import { isDeepStrictEqual } from 'node:util';
import { type Rejection, reject, type TemplateEvent } from '@parley/contracts';
import type { ClaimChange, Decision } from '@parley/event-store';
import type { ChatTemplate } from '@parley/providers';
import { type Template, templateStream, toContentData } from './template.ts';

type Outcome = Decision<TemplateEvent, null>;

export interface AddTemplate {
  /** Fresh: no other template ever has it. */
  readonly id: number;
  readonly senderId: number;
  readonly observed: ChatTemplate;
}

/** Adds a template that the platform has and we did not know. Added by two readings at once, it is added once. */
export function addTemplate(state: Template, { id, senderId, observed }: AddTemplate): Outcome {
  if (state) throw new Error(`Template ${id} was given out twice.`);
  const { platformId, name, language, status } = observed;
  return {
    events: [
      {
        type: 'TemplateAdded',
        data: {
          template_id: id,
          sender_id: senderId,
          platform_template_id: platformId,
          name,
          language,
          status,
          ...toContentData(observed),
        },
      },
    ],
    claims: [claimOn({ id, senderId, platformId }, 'take')],
    onClaimTaken: () => reject('contended'),
    reply: null,
  };
}

/** The events for what the platform tells of a known template now; none when nothing changed. */
export function observeTemplate(state: Template, observed: ChatTemplate): Outcome | Rejection {
  if (!state) return reject('not_found');
  const events: TemplateEvent[] = [];
  const content = toContentData(observed);
  if (!isDeepStrictEqual(content, toContentData(state)))
    events.push({ type: 'TemplateContentChanged', data: content });
  const { status } = observed;
  if (status !== state.status) events.push({ type: 'TemplateStatusChanged', data: { status } });
  return { events, reply: null };
}

/** Removes a template that the platform no longer has. If it comes back, it is added as another one. */
export function removeTemplate(state: Template): Outcome | Rejection {
  if (!state) return reject('not_found');
  return {
    events: [{ type: 'TemplateRemoved', data: {} }],
    claims: [claimOn(state, 'release')],
    reply: null,
  };
}

const claimOn = (
  {
    id,
    senderId,
    platformId,
  }: { readonly id: number; readonly senderId: number; readonly platformId: string },
  op: ClaimChange['op'],
): ClaimChange => ({ op, scope: `template:${senderId}`, key: platformId, owner: templateStream(id) });
