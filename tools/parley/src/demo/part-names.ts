/**
 * In the order they are made; each has a file of its own beside this one. The first assistant answers on the sender, so
 * assistants come before senders; calls need assistants and numbers; campaigns use assistants and senders, and automations
 * point at assistants and labels.
 */
export const demoPartNames = [
  'organisers',
  'assistants',
  'senders',
  'phone-numbers',
  'calls',
  'campaigns',
  'automations',
] as const;
export type DemoPartName = (typeof demoPartNames)[number];
