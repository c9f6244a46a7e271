/** The chat of a table, in Italian. */
export const chat = {
  // chat
  'chat.title': 'Chat',
  'chat.people.one': '{count} al tavolo',
  'chat.people.other': '{count} al tavolo',
  'chat.write': 'Scrivi un messaggio',
  'chat.send': 'Invia',
  'chat.close': 'Chiudi la chat',
  'chat.move': 'Sposta la chat',
  'chat.hide': 'Nascondi i messaggi degli altri',
  'chat.show': 'Mostra i messaggi degli altri',
  'chat.hidden': 'I messaggi degli altri sono nascosti.',
  'chat.empty': 'Ancora nessun messaggio. Buonasera.',
  'chat.arrows': 'Frecce per spostare, Maiusc e frecce per ridimensionare',
  'chat.host': 'banco',
} as const;
