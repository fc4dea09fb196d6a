/**
 * In the order they are made; each has a file of its own beside this one. The first assistant answers on the sender, so
 * assistants come before senders.
 */
export const demoPartNames = ['organisers', 'assistants', 'senders'] as const;
export type DemoPartName = (typeof demoPartNames)[number];
