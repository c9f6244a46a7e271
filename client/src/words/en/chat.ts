import type { chat as italian } from '../it/chat';

/** The chat of a table, in English. */
export const chat: Record<keyof typeof italian, string> = {
  // chat
  'chat.title': 'Chat',
  'chat.people.one': '{count} at the table',
  'chat.people.other': '{count} at the table',
  'chat.write': 'Write a message',
  'chat.send': 'Send',
  'chat.close': 'Close the chat',
  'chat.move': 'Move the chat',
  'chat.hide': 'Hide other players’ messages',
  'chat.show': 'Show other players’ messages',
  'chat.hidden': 'Other players’ messages are hidden.',
  'chat.empty': 'No messages yet. Good evening.',
  'chat.arrows': 'Arrows to move, Shift and arrows to resize',
  'chat.host': 'host',
};
