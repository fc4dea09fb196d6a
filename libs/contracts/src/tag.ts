/** The groups of the operations in the document of the API, and what a customer does with each. */
export const tags = {
  'API keys': 'Create the keys that programs call this API with, and delete those that may do so no longer.',
  Account: 'See whose key is used, the balance, and what it was spent on.',
  Automations:
    'Have something done whenever something happens: define what starts an automation and its steps, and try it.',
  'Automation runs': 'See what each run of an automation did, step by step, and let a failed one go on.',
  'Automation connections': 'Keep the secrets that automations sign in elsewhere with, or check webhooks by.',
  Folders: 'Put assistants in order, each in at most one folder.',
  Labels: 'Mark assistants, each with any number of labels.',
  'Chat-app senders': 'Connect the business numbers that messages are sent from, and see their templates.',
  Campaigns: 'Call or write to many people: say who reaches them how and at which hours, start and stop.',
  'Call permission': 'Ask customers on the chat app whether calls are welcome, and call those who agree.',
  Leads: 'Say whom a campaign is to reach, one by one or as a file, and see how far it got with each.',
  Assistants: 'Create those who talk to your customers: their voice, instructions, knowledge and webhooks.',
  History:
    'See every change: who made it, what it led to, how things were before. Undo one, or follow along.',
  Knowledgebases: 'Keep the knowledge that assistants can be given, under a name and a description.',
  Webhooks:
    'Check that what arrives is from here, see each delivery with its attempts, and have it sent again.',
  'SIP trunks': 'Let assistants call and be called through a telephone system of your own.',
  Calls: 'Let an assistant call somebody, and read what was said in every call.',
  'Chat-app messages':
    'Write to a customer on the chat app, by a template or, while the chat is open, freely.',
  Conversations: 'Read what was written with each customer, and say whether the assistant answers.',
  'Phone numbers': 'Search, buy, name and release the numbers that assistants call from and are called at.',
  'Payment method': 'Say which card phone numbers are paid with.',
} as const satisfies Readonly<Record<string, string>>;

export type Tag = keyof typeof tags;
