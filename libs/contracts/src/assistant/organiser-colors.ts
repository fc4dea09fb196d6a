/** Folders and labels organise assistants: a folder holds many, an assistant carries many labels. */
export const organiserColors = [
  'gray',
  'slate',
  'red',
  'orange',
  'amber',
  'green',
  'teal',
  'blue',
  'purple',
  'pink',
] as const;
