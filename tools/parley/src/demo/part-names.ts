/**
 * In the order they are made; each has a file of its own beside this one. The first assistant answers on the sender, so
 * assistants come before senders; campaigns use both.
 */
export const demoPartNames = ['organisers', 'assistants', 'senders', 'phone-numbers', 'campaigns'] as const;
export type DemoPartName = (typeof demoPartNames)[number];
