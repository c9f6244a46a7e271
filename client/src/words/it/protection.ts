/** Limits, pauses and exclusions, in Italian. */
export const protection = {
  // protection
  'guard.title': 'Gioca responsabile',
  'guard.text': 'Il gioco è un passatempo. Metti tu i confini: la casa li fa valere a ogni puntata.',
  'guard.limits': 'I tuoi limiti',
  'guard.limits-text':
    'Un limite più basso vale subito. Uno più alto, o nessuno, aspetta {days} giorni e poi va confermato.',
  'guard.limits-hours':
    'Un limite più basso vale subito. Uno più alto, o nessuno, aspetta {hours} ore e poi va confermato.',
  'guard.deposit': 'Versamenti',
  'guard.stake': 'Puntate',
  'guard.loss': 'Perdite',
  'guard.session': 'Durata della sessione',
  'guard.day': 'al giorno',
  'guard.week': 'alla settimana',
  'guard.month': 'al mese',
  'guard.minutes': 'minuti',
  'guard.none': 'nessun limite',
  'guard.set': 'Imposta',
  'guard.remove': 'Togli',
  'guard.new': 'Nuovo limite: {name}',
  'guard.waiting': 'Chiesto: {amount}, dal {ready}',
  'guard.confirm': 'Conferma',
  'guard.not-yet': 'Si conferma dal {ready}',
  'guard.done': 'Il limite vale da subito.',
  'guard.asked': 'Richiesta presa: il limite di prima vale ancora.',
  'guard.nothing': 'Non c’è un limite da togliere',
  'guard.minutes-value': '{count} min',
  'guard.unread-minutes': 'Scrivi i minuti, un numero intero',
  'guard.reality': 'Il punto ogni tanto',
  'guard.reality-text': 'Ogni tanto il gioco si ferma e ti dice da quanto giochi e con che risultato.',
  'guard.every': 'Ogni {count} minuti',
  'guard.pause': 'Prenditi una pausa',
  'guard.pause-text': 'Per la durata scelta non si gioca. Si può allungare, mai accorciare.',
  'guard.pause-days.one': '{count} giorno',
  'guard.pause-days.other': '{count} giorni',
  'guard.pause-go': 'Inizia la pausa',
  'guard.cooling': 'Sei in pausa fino al {until}.',
  'guard.exclusion': 'Autoesclusione',
  'guard.exclusion-text':
    'Chiude il gioco su ogni dispositivo, subito. Una a termine non si revoca; una senza scadenza si può revocare ' +
    'dopo sei mesi.',
  'guard.exclude-days': 'Per {count} giorni',
  'guard.exclude-forever': 'Senza scadenza',
  'guard.exclude-go': 'Escludimi',
  'guard.excluded': 'Sei escluso fino al {until}.',
  'guard.excluded-forever': 'Sei escluso senza scadenza.',
  'guard.sure': 'Ne sei certo?',
  'guard.sure-pause': 'La pausa comincia subito e non si accorcia.',
  'guard.sure-exclusion':
    'L’esclusione comincia subito, su ogni dispositivo. Le mani aperte si concludono secondo le regole.',
  'guard.no': 'No, torna indietro',
  'guard.yes': 'Sì, lo voglio',
  'guard.help': 'Chi può aiutare',
  'guard.help-text':
    'Telefono Verde Nazionale per le problematiche legate al gioco d’azzardo: 800 558822, gratuito e anonimo, da ' +
    'lunedì a venerdì 10–16. Anche il SerD della tua ASL ascolta senza impegnativa.',
  'guard.signs': 'Domande da farsi',
  'guard.signs-text':
    'Giochi per recuperare? Giochi più a lungo di quanto volevi? Lo nascondi a qualcuno? Un sì basta per fermarsi e' +
    ' parlarne.',
  'guard.length': 'Durata',
} as const;
