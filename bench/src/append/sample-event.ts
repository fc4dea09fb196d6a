import { randomInt, randomUUID } from 'node:crypto';

export const accounts = 1_000;

export const commandReply = (id: string) =>
  JSON.stringify({ message: 'Folder created successfully', data: { id } });

export const eventData = (id: number) => ({
  folder_id: id,
  name: `Folder number ${id}`,
  color: '#4f46e5',
  created_by: null,
});

export const metadata = {
  correlationId: '0190c7a0-7d2c-7a53-b2a5-6d1d6e1c0a11',
  causationId: '0190c7a0-7d2c-7a53-b2a5-6d1d6e1c0a11',
  commandId: '0190c7a0-7d2c-7a53-b2a5-6d1d6e1c0a11',
  actor: { kind: 'api_key', id: '17' },
} as const;

export const newNumber = () => randomInt(2 ** 31);
export const newStream = () => `folder-${randomUUID()}`;
