import { text, textUpTo } from '../input/text.ts';
import { events } from './all-events.ts';

const actorKinds = ['api_key', 'operator', 'automation', 'provider', 'system'];
const actorPattern = new RegExp(`^(\\d+|(${actorKinds.join('|')})(:.+)?)$`, 's');
export const actorForms = `an id such as 12, one of ${actorKinds.join(', ')}, or both, such as api_key:12`;

/** Whether anybody could be meant: an id (`12`), a kind (`operator`) or both (`api_key:12`). */
export const isActor = (value: string): boolean => actorPattern.test(value);

/** Whether `wanted`, in any of its forms, is who acted. */
export const isActedBy = (
  wanted: string,
  { kind, id }: { readonly kind: string; readonly id: string },
): boolean => [id, kind, `${kind}:${id}`].includes(wanted);

/** Who acted, in a query string. */
export const actorFilter = () =>
  textUpTo(128).refine(isActor, { error: `The :attribute field must be ${actorForms}.` });

const types = new Set(events.map(({ type }) => type));
export const isEventName = (name: string): boolean => types.has(name);

const categories = new Set(events.map(({ category }) => category));
/** Whether there can be such a stream: `folder-12`. */
export const isStreamName = (name: string): boolean =>
  categories.values().some((category) => name.startsWith(`${category}-`));

/** Names of events in a query string, with commas between them. One that is not known would never be found. */
export const eventNames = (isKnown: (name: string) => boolean) =>
  text()
    .regex(/^\w{1,64}(,\w{1,64}){0,49}$/, {
      error: 'The :attribute field must be names of events with commas between them.',
      abort: true,
    })
    .refine((value) => value.split(',').every(isKnown), {
      error: ({ input }) => {
        const unknown = String(input)
          .split(',')
          .filter((name) => !isKnown(name));
        return `The :attribute field names what is no event: ${unknown.join(', ')}.`;
      },
    });
