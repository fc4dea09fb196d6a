import { events, type PersonalData } from '@parley/contracts';

/** What is personal of which event type. */
export const personalData: ReadonlyMap<string, PersonalData> = new Map(
  events.flatMap(({ type, personal }) => (personal ? [[type, personal] as const] : [])),
);

/** Whether it is about somebody, and does not only mention them in its words. */
export const isAboutSomebody = ({ fields = [], each = {} }: PersonalData): boolean =>
  fields.length > 0 || Object.values(each).some(isAboutSomebody);
