import { defineProjection, liveSchema } from '@parley/processing';
import { conversationEventTypes, type Handled } from './conversation-events.ts';
import { projectConversations } from './project-conversations.ts';
import { projectMessages } from './project-messages.ts';

/** Conversations with their messages, and with the times that their messaging windows rest on. */
export const conversationsView = defineProjection<Handled>({
  name: 'conversations',
  version: 4,
  handles: conversationEventTypes,
  tables: (schema) => `
    create table ${schema}.conversations (
      id int8 primary key,
      account_id int8 not null,
      position int8 not null,
      uuid uuid not null unique,
      sender_id int8 not null,
      contact_phone text not null,
      contact_name text,
      is_ai_enabled boolean not null default true,
      created_at timestamptz not null,
      last_message_at timestamptz,
      last_received_at timestamptz,
      last_template_at timestamptz,
      moved_to text,
      moved_position int8,
      marketing_stopped_at timestamptz,
      unique (sender_id, contact_phone)
    );
    create index conversations_newest_first on ${schema}.conversations (account_id, position desc);
    create index conversations_moved on ${schema}.conversations (sender_id, moved_to) where moved_to is not null;
    create table ${schema}.messages (
      id int8 primary key,
      conversation_id int8 not null,
      position int8 not null,
      direction text not null,
      author text not null,
      type text not null,
      body text,
      template_id int8,
      message_sid text,
      status text not null,
      error text,
      in_reply_to int8,
      goes_back_to jsonb,
      created_at timestamptz not null
    );
    create index messages_newest_first on ${schema}.messages (conversation_id, position desc);
    create index messages_deletions on ${schema}.messages (conversation_id, (goes_back_to ->> 'in_reply_to_sid'))
      where type = 'revoke';
  `,
  project(events, db) {
    projectConversations(events, db);
    projectMessages(events, db);
  },
});

export const conversationsTable = `${liveSchema(conversationsView)}.conversations`;
export const messagesTable = `${liveSchema(conversationsView)}.messages`;
