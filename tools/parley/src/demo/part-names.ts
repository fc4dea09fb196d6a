/** In the order they are made; each has a file of its own beside this one. */
export const demoPartNames = ['organisers'] as const;
export type DemoPartName = (typeof demoPartNames)[number];
